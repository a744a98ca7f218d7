package brig.gateway.webhook;

import brig.protocol.frame.AskDetail;
import brig.protocol.frame.Frame;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The page behind a link, as HTML that needs no script. All texts come from an agent, so they are escaped, and a
 * character that is not seen or that reorders others is shown by its number.
 */
public final class AnswerPage {
    private static final String STYLE =
            "body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:0 auto;padding:1rem;"
                    + "color:#1a1a1a;background:#fff}a{color:inherit}h1{font-size:1.25rem;overflow-wrap:anywhere}"
                    + "pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f2f2f2;padding:.5rem;margin:0 0 .5rem}"
                    + "button{display:block;width:100%;padding:.9rem;margin:.5rem 0;font:inherit;overflow-wrap:anywhere}"
                    + "textarea{box-sizing:border-box;width:100%;font:inherit}small{display:block}"
                    + "@media(prefers-color-scheme:dark){body{color:#eee;background:#111}pre{background:#222}}";

    /** Allows its own style and its own form, and nothing else. */
    public static final String POLICY = "default-src 'none'; style-src 'sha256-" + hash(STYLE)
            + "'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

    private static final int TEXT_ROWS = 3;

    private AnswerPage() {}

    private static String hash(String style) {
        try {
            return Base64.getEncoder()
                    .encodeToString(
                            MessageDigest.getInstance("SHA-256").digest(style.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** The ask with a form that answers it; how it was settled instead of the form if it was. */
    public static String of(AnswerLinks.Link link) {
        Frame.Ask ask = link.ask();
        StringBuilder page = new StringBuilder();
        page.append("<h1>").append(line(ask.title())).append("</h1><p>");
        page.append(line(link.profile()))
                .append(" asks in ")
                .append(line(link.taskId()))
                .append("</p>");
        addDetail(page, ask.detail());
        String end = link.end();
        if (end == null) {
            addForms(page, ask);
        } else {
            page.append("<p><strong>").append(line(end)).append("</strong></p>");
        }
        return whole(page.toString());
    }

    /** A page with one sentence. */
    public static String saying(String sentence) {
        return whole("<p><strong>" + line(sentence) + "</strong></p>");
    }

    /** A page with what happened, why, and the way back. */
    public static String saying(String title, String why, String back) {
        return whole("<main><h1>" + line(title) + "</h1><p>" + line(why) + "</p><p><a href=\"" + line(back)
                + "\">Back to Brig</a></p></main>");
    }

    private static String whole(String content) {
        return "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Brig</title>"
                + "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><style>" + STYLE
                + "</style></head><body>" + content + "</body></html>";
    }

    private static void addDetail(StringBuilder page, @Nullable Object detail) {
        List<String> diff = AskDetail.diff(detail);
        if (!diff.isEmpty()) {
            page.append("<pre>").append(block(String.join("\n", diff))).append("</pre>");
        } else if (detail instanceof JsonObject object) {
            for (String name : object.names()) {
                page.append("<div>").append(line(name)).append("</div>");
                page.append("<pre>").append(block(text(object.value(name)))).append("</pre>");
            }
        } else if (detail != null) {
            page.append("<pre>").append(block(text(detail))).append("</pre>");
        }
    }

    private static String text(@Nullable Object value) {
        if (value instanceof String text) {
            return text;
        }
        String object = new String(Json.write(JsonObject.EMPTY.with("", value)), StandardCharsets.UTF_8);
        return object.substring("{\"\":".length(), object.length() - 1);
    }

    private static void addForms(StringBuilder page, Frame.Ask ask) {
        page.append("<form method=\"post\">");
        for (Frame.Ask.Option option : ask.options()) {
            page.append("<button name=\"option\" value=\"")
                    .append(line(option.id()))
                    .append("\">");
            page.append(line(option.name()));
            if (option.description() != null) {
                page.append("<small>").append(line(option.description())).append("</small>");
            }
            page.append("</button>");
        }
        page.append("</form>");
        if (ask.text()) {
            page.append("<form method=\"post\"><label>Answer<textarea name=\"text\" required rows=\"")
                    .append(TEXT_ROWS)
                    .append("\"></textarea></label><button>Send this answer</button></form>");
        }
        page.append("<p>Without an answer until ")
                .append(Instant.ofEpochMilli(ask.deadline()).truncatedTo(ChronoUnit.SECONDS))
                .append(": ")
                .append(line(ask.nameOf(ask.fallback()).orElse(ask.fallback())))
                .append("</p>");
    }

    private static final Map<Integer, String> MARKUP =
            Map.of((int) '&', "&amp;", (int) '<', "&lt;", (int) '>', "&gt;", (int) '"', "&quot;", (int) '\'', "&#39;");

    /** Escapes a text of one line. */
    static String line(String text) {
        return escape(text, false);
    }

    /** Escapes a text that may have several lines. */
    static String block(String text) {
        return escape(text, true);
    }

    private static String escape(String text, boolean lines) {
        StringBuilder escaped = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(point -> {
            if (MARKUP.containsKey(point)) {
                escaped.append(MARKUP.get(point));
            } else if (isVisible(point) || (lines && (point == '\n' || point == '\t'))) {
                escaped.appendCodePoint(point);
            } else {
                escaped.append("[U+%04X]".formatted(point));
            }
        });
        return escaped.toString();
    }

    /** No control character, none that changes the direction of text or joins others, none without a meaning. */
    private static boolean isVisible(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
