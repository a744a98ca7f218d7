package brig.protocol.spawn;

import brig.protocol.BrigException;
import brig.protocol.WireName;
import brig.protocol.record.Name;
import brig.protocol.record.Range;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a session and all below it may use up; null is no limit.
 *
 * @param usd what requests to models cost, in US dollars
 * @param tokens of requests to models, input and output together
 * @param wallMs time from its start
 * @param egressBytes that its connections to the network carry, both ways
 * @param spawns sessions below it, all together
 * @param onLimit what happens where the money, the tokens or the bytes are used up; null leaves it to the policy
 */
public record Budget(
        @Nullable Double usd,
        @Range(min = 1, max = COUNT_MAX) @Nullable Long tokens,

        @Range(min = 1000, max = WALL_MS_MAX) @Name(value = "wall_ms", old = "wallMs") @Nullable
        Long wallMs,

        @Range(min = 1, max = COUNT_MAX) @Name(value = "egress_bytes", old = "egressBytes") @Nullable
        Long egressBytes,

        @Range(max = SPAWNS_MAX) @Nullable Long spawns,
        @Name(value = "on_limit", old = "onLimit") @Nullable OnLimit onLimit) {
    public static final Budget NONE = new Budget(null, null, null, null, null, null);

    private static final double USD_MIN = 1e-9;
    public static final double USD_MAX = 1e6;
    public static final long COUNT_MAX = 1_000_000_000_000_000L;
    public static final long WALL_MS_MAX = 365L * 86_400_000;
    public static final long SPAWNS_MAX = 100_000;

    /** What happens at a limit; lower case in JSON. */
    public enum OnLimit implements WireName {
        /** Further requests are refused. */
        REFUSE,
        /** A person is asked when most of it is used up; further requests are refused. */
        ASK,
        /** The session ends. */
        END;

        @Override
        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final int NANO_DIGITS = 9;
    private static final Pattern PART = Pattern.compile("(\\d{1,15}(?:\\.\\d{1,9})?)([A-Za-z]+)");

    /** @throws BrigException {@code INVALID_FIELD} */
    public Budget {
        if (usd != null && !(usd >= USD_MIN && usd <= USD_MAX)) {
            throw BrigException.invalid("budget.usd", "must be more than 0, and at most " + (long) USD_MAX);
        }
    }

    /** The money in billionths of a US dollar, in which sums are exact. */
    public @Nullable Long nanos() {
        return usd == null
                ? null
                : BigDecimal.valueOf(usd)
                        .movePointRight(NANO_DIGITS)
                        .setScale(0, RoundingMode.HALF_UP)
                        .longValueExact();
    }

    /** Whether it limits anything. */
    public boolean limits() {
        return Stream.of(tokens, wallMs, egressBytes, spawns).anyMatch(limit -> limit != null) || usd != null;
    }

    /** The smaller one of each limit. What happens at a limit is as this one says, else as the other does. */
    public Budget within(Budget other) {
        return new Budget(
                least(usd, other.usd),
                least(tokens, other.tokens),
                least(wallMs, other.wallMs),
                least(egressBytes, other.egressBytes),
                least(spawns, other.spawns),
                onLimit == null ? other.onLimit : onLimit);
    }

    private static <T extends Comparable<T>> @Nullable T least(@Nullable T one, @Nullable T other) {
        return one == null || (other != null && other.compareTo(one) < 0) ? other : one;
    }

    /**
     * Reads parts with commas between, such as {@code 5usd,20min,1000000tokens,ask}.
     *
     * @throws BrigException {@code INVALID_FIELD}
     */
    public static Budget parse(String field, String text) {
        Budget budget = NONE;
        List<String> seen = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            Budget one = part(field, part.strip());
            if (seen.contains(kind(one))) {
                throw BrigException.invalid(field, "names one thing twice: " + part.strip());
            }
            seen.add(kind(one));
            budget = budget.within(one);
        }
        return budget;
    }

    private static Budget part(String field, String part) {
        for (OnLimit each : OnLimit.values()) {
            if (each.wireName().equals(part)) {
                return new Budget(null, null, null, null, null, each);
            }
        }
        Matcher matcher = PART.matcher(part);
        if (!matcher.matches()) {
            throw unreadable(field, part);
        }
        BigDecimal number = new BigDecimal(matcher.group(1));
        return switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
            case "usd" -> new Budget(number.doubleValue(), null, null, null, null, null);
            case "tokens" -> new Budget(null, whole(field, part, number, 1, COUNT_MAX), null, null, null, null);
            case "ms" -> time(field, part, number, 1);
            case "s" -> time(field, part, number, 1000);
            case "min" -> time(field, part, number, 60_000);
            case "h" -> time(field, part, number, 3_600_000);
            case "bytes" -> bytes(field, part, number, 1);
            case "mb" -> bytes(field, part, number, 1_000_000);
            case "gb" -> bytes(field, part, number, 1_000_000_000);
            case "spawns" -> new Budget(null, null, null, null, whole(field, part, number, 0, SPAWNS_MAX), null);
            default -> throw unreadable(field, part);
        };
    }

    private static Budget time(String field, String part, BigDecimal number, long unitMs) {
        BigDecimal ms = number.multiply(BigDecimal.valueOf(unitMs));
        return new Budget(null, null, whole(field, part, ms, 1000, WALL_MS_MAX), null, null, null);
    }

    private static Budget bytes(String field, String part, BigDecimal number, long unit) {
        BigDecimal bytes = number.multiply(BigDecimal.valueOf(unit));
        return new Budget(null, null, null, whole(field, part, bytes, 1, COUNT_MAX), null, null);
    }

    private static long whole(String field, String part, BigDecimal number, long min, long max) {
        try {
            long whole = number.longValueExact();
            if (whole >= min && whole <= max) {
                return whole;
            }
        } catch (ArithmeticException notWhole) {
            throw BrigException.invalid(field, "must be a whole number: " + part);
        }
        throw BrigException.invalid(field, "is out of range: " + part);
    }

    private static String kind(Budget one) {
        return one.usd != null
                ? "usd"
                : one.tokens != null
                        ? "tokens"
                        : one.wallMs != null
                                ? "time"
                                : one.egressBytes != null ? "bytes" : one.spawns != null ? "spawns" : "on_limit";
    }

    private static BrigException unreadable(String field, String part) {
        return BrigException.invalid(
                field,
                "cannot be read at '" + part + "': parts are such as 5usd, 1000000tokens, 20min, 500mb, 10spawns, and"
                        + " refuse, ask or end");
    }
}
