package brig.egress.rate;

import io.netty.handler.codec.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What an answer says about the provider's rate limits, within bounds. Headers that cannot be read count as absent.
 *
 * <p>Anthropic's {@code anthropic-ratelimit-…-reset} is a time of RFC 3339, OpenAI's {@code x-ratelimit-reset-…} a duration
 * like {@code 6m0s} or a number of seconds. Both tell when the limit is full again.
 *
 * @param refused whether the provider asks to send less
 * @param retryAfterMs how long it asks to wait; 0 if it does not say
 * @param emptyMs when a limit that is used up will be full again; 0 for none
 * @param left how many requests the limit has room for; -1 if it does not say
 * @param perSecond at what rate that grows; 0 if it does not say
 */
record RateAnswer(boolean refused, long retryAfterMs, long emptyMs, long left, double perSecond) {
    static final long WAIT_MS_MAX = 5 * 60_000;

    private static final int TOO_MANY_REQUESTS = 429;
    private static final int UNAVAILABLE = 503;
    private static final int OVERLOADED = 529;
    private static final int TEXT_MAX = 64;
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,15}(\\.[0-9]{1,15})?");
    private static final Pattern PART = Pattern.compile("([0-9]{1,15}(?:\\.[0-9]{1,15})?)(ms|us|µs|ns|d|h|m|s)");
    private static final List<String> KINDS = List.of("requests", "tokens", "input-tokens", "output-tokens");

    static RateAnswer of(int status, HttpHeaders headers, long wallMs) {
        long retryAfterMs = retryAfterMs(headers, wallMs);
        boolean isFinal = "false".equalsIgnoreCase(headers.get("x-should-retry"));
        boolean refused =
                status == TOO_MANY_REQUESTS || status == OVERLOADED || (status == UNAVAILABLE && retryAfterMs > 0);
        long emptyMs = 0;
        long left = -1;
        double perSecond = 0;
        for (String kind : KINDS) {
            OptionalDouble limit = number(header(headers, kind, "limit"));
            OptionalDouble remaining = number(header(headers, kind, "remaining"));
            long resetMs = resetMs(header(headers, kind, "reset"), wallMs);
            if (limit.isEmpty() || limit.getAsDouble() < 1 || remaining.isEmpty() || resetMs <= 0) {
                continue;
            }
            double room = Math.min(remaining.getAsDouble(), limit.getAsDouble());
            if (room < 1) {
                emptyMs = Math.max(emptyMs, resetMs);
            }
            if (kind.equals("requests")) {
                left = (long) room;
                perSecond = (limit.getAsDouble() - room) * 1000 / resetMs;
            }
        }
        return new RateAnswer(refused && !isFinal, retryAfterMs, emptyMs, left, perSecond);
    }

    private static @Nullable String header(HttpHeaders headers, String kind, String what) {
        String anthropic = headers.get("anthropic-ratelimit-" + kind + "-" + what);
        return anthropic != null ? anthropic : headers.get("x-ratelimit-" + what + "-" + kind);
    }

    private static long retryAfterMs(HttpHeaders headers, long wallMs) {
        OptionalDouble exact = number(headers.get("retry-after-ms"));
        if (exact.isPresent()) {
            return bounded(exact.getAsDouble());
        }
        String text = headers.get("retry-after");
        OptionalDouble seconds = number(text);
        if (seconds.isPresent()) {
            return bounded(seconds.getAsDouble() * 1000);
        }
        return text == null ? 0 : until(text, DateTimeFormatter.RFC_1123_DATE_TIME, wallMs);
    }

    private static long resetMs(@Nullable String text, long wallMs) {
        OptionalDouble seconds = number(text);
        if (seconds.isPresent()) {
            double value = seconds.getAsDouble();
            // Seconds since 1970, or from now on.
            return bounded(value > 1e9 ? value * 1000 - wallMs : value * 1000);
        }
        if (text == null || text.length() > TEXT_MAX) {
            return 0;
        }
        long durationMs = durationMs(text);
        return durationMs > 0 ? durationMs : until(text, DateTimeFormatter.ISO_OFFSET_DATE_TIME, wallMs);
    }

    /** Like {@code 1h2m3.5s}. */
    private static long durationMs(String text) {
        Matcher part = PART.matcher(text);
        double ms = 0;
        int at = 0;
        while (at < text.length()) {
            if (!part.find(at) || part.start() != at) {
                return 0;
            }
            ms += Double.parseDouble(part.group(1)) * unitMs(part.group(2));
            at = part.end();
        }
        return bounded(ms);
    }

    private static double unitMs(String unit) {
        return switch (unit) {
            case "d" -> 86_400_000;
            case "h" -> 3_600_000;
            case "m" -> 60_000;
            case "s" -> 1000;
            case "ms" -> 1;
            case "ns" -> 1e-6;
            default -> 1e-3;
        };
    }

    private static long until(String text, DateTimeFormatter format, long wallMs) {
        if (text.length() > TEXT_MAX) {
            return 0;
        }
        try {
            Instant at = ZonedDateTime.parse(text.strip(), format).toInstant();
            return bounded((double) at.getEpochSecond() * 1000 + at.getNano() / 1e6 - wallMs);
        } catch (DateTimeException notADate) {
            return 0;
        }
    }

    private static OptionalDouble number(@Nullable String text) {
        return text != null && NUMBER.matcher(text.strip()).matches()
                ? OptionalDouble.of(Double.parseDouble(text.strip()))
                : OptionalDouble.empty();
    }

    private static long bounded(double ms) {
        return ms > 0 ? Math.max(1, (long) Math.min(ms, WAIT_MS_MAX)) : 0;
    }
}
