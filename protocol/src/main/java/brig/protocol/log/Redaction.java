package brig.protocol.log;

import java.util.regex.Pattern;

/**
 * Takes out of a text what may be a secret, before it is kept and shown: it may quote a command or a URL.
 *
 * <p>Decision 0099.
 */
public final class Redaction {
    private static final int CHARACTERS_MAX = 1_000;
    /** Beyond this nobody looks for secrets, so it is cut off before; what is shown is far below. */
    private static final int LOOKED_AT_MAX = 8 * CHARACTERS_MAX;
    /** A line of a log: a stack trace is longer than an error. */
    private static final int LINE_CHARACTERS_MAX = 32_000;

    private static final String GONE = "[redacted]";
    /** Tokens that their makers gave a form of their own, so that they can be found. */
    private static final Pattern TOKEN = Pattern.compile(
            "brig_[A-Za-z0-9_-]{20,}|sk-[A-Za-z0-9_-]{16,}|gh[oprsu]_[A-Za-z0-9]{20,}|github_pat_\\w{20,}"
                    + "|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[A-Z0-9]{16}|eyJ[\\w-]{8,}\\.[\\w-]{8,}\\.[\\w-]*");

    private static final Pattern NAMED = Pattern.compile("(?i)(authorization\\s*[:=]\\s*(?:bearer|basic)\\s+|bearer\\s+"
            + "|[\\w-]*(?:token|secret|passw(?:or)?d|api[_-]?key|credential)s?[\"']?\\s*[:=]\\s*[\"']?)[^\\s\"',;&]+");
    private static final Pattern IN_URL = Pattern.compile("(://)[^/\\s@]+@");

    /** What a field is called whose value nobody is to see, whatever it looks like. */
    private static final Pattern SECRET_NAME =
            Pattern.compile("(?i).*(token|secret|passw(or)?d|api[_-]?key|credential|authorization)s?");

    private Redaction() {}

    /** The text of an error, which is kept. */
    public static String redact(String text) {
        String clean = mask(text, LOOKED_AT_MAX);
        // Last, or a secret that the cut goes through would not be known as one.
        return clean.length() <= CHARACTERS_MAX ? clean : clean.substring(0, CHARACTERS_MAX) + "…";
    }

    /** A part of a line of a log. */
    static String mask(String text) {
        return mask(text, LINE_CHARACTERS_MAX);
    }

    /** The value of a field of that name. */
    static String mask(String name, String value) {
        return SECRET_NAME.matcher(name).matches() ? GONE : mask(value);
    }

    private static String mask(String text, int charactersMax) {
        String bounded = text.length() <= charactersMax ? text : text.substring(0, charactersMax);
        String named = NAMED.matcher(bounded).replaceAll("$1" + GONE);
        String tokens = TOKEN.matcher(named).replaceAll(GONE);
        return IN_URL.matcher(tokens).replaceAll("$1" + GONE + "@");
    }
}
