package brig.egress.price;

import brig.protocol.record.Default;
import brig.protocol.record.Settings;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A file of prices. {@code src/build/prices.mjs} makes the one that comes with Brig.
 *
 * @param date when the prices were right, as {@code YYYY-MM-DD}
 * @param from who says so
 */
@Settings
record PriceFile(String date, String from, List<Provider> providers) {
    /**
     * @param api a pattern of how addresses of its API begin
     * @param makes the models that are its own, where the address tells nothing
     * @param fallback other providers, whose prices it has for models that are not here
     * @param reasoningApart whether its count of output tokens lacks those of the reasoning
     */
    record Provider(
            String id,
            String api,
            @Nullable Match makes,
            @Default List<String> fallback,
            @Default boolean reasoningApart,
            List<Model> models) {
        Provider {
            Pattern.compile(api);
        }

        /** The same with the models of another list before its own. */
        Provider behind(Provider first) {
            return new Provider(
                    id,
                    api,
                    makes,
                    fallback,
                    reasoningApart,
                    Stream.concat(first.models.stream(), models.stream()).toList());
        }

        boolean isAt(String url) {
            return Pattern.compile(api).matcher(url).lookingAt();
        }
    }

    /** @param periods the newest last; the first one counts before all others */
    record Model(String id, Match match, List<Period> periods) {
        Model {
            if (periods.isEmpty()) {
                throw new IllegalArgumentException("periods must not be empty");
            }
        }

        Usd at(Instant time) {
            return periods.reversed().stream()
                    .filter(period -> period.includes(time))
                    .findFirst()
                    .orElse(periods.getFirst())
                    .usd();
        }
    }

    /** A condition on the name of a model, in lower case. One of its components is enough. */
    record Match(
            @Nullable String equals,
            @Nullable String startsWith,
            @Nullable String endsWith,
            @Nullable String contains,
            @Nullable String regex,
            @Default List<Match> or,
            @Default List<Match> and) {
        Match {
            if (regex != null) {
                Pattern.compile(regex);
            }
        }

        boolean fits(String model) {
            return or.stream().anyMatch(one -> one.fits(model))
                    || (!and.isEmpty() && and.stream().allMatch(one -> one.fits(model)))
                    || fits(equals, model::equals)
                    || fits(startsWith, model::startsWith)
                    || fits(endsWith, model::endsWith)
                    || fits(contains, model::contains)
                    || (regex != null && Pattern.compile(regex).matcher(model).find());
        }

        private static boolean fits(@Nullable String text, Predicate<String> condition) {
            return text != null && condition.test(text.toLowerCase(Locale.ROOT));
        }
    }

    /**
     * @param since from this day on, in UTC
     * @param from from this time of each day on, as {@code 00:30:00Z}
     * @param to until this time of each day; before {@code from}: of the next day
     */
    record Period(
            @Nullable String since,
            @Nullable String from,
            @Nullable String to,
            Usd usd) {
        Period {
            try {
                includes(since, from, to, Instant.EPOCH);
            } catch (DateTimeException e) {
                throw new IllegalArgumentException("since, from or to is no time: " + e.getMessage());
            }
        }

        boolean includes(Instant time) {
            return includes(since, from, to, time);
        }

        private static boolean includes(
                @Nullable String since, @Nullable String from, @Nullable String to, Instant time) {
            if (since != null) {
                return !time.isBefore(
                        LocalDate.parse(since).atStartOfDay(ZoneOffset.UTC).toInstant());
            }
            if (from == null || to == null) {
                return true;
            }
            LocalTime now = LocalTime.ofInstant(time, ZoneOffset.UTC);
            boolean begun = !now.isBefore(utc(from));
            boolean over = !now.isBefore(utc(to));
            return utc(to).isBefore(utc(from)) ? begun || !over : begun && !over;
        }

        private static LocalTime utc(String time) {
            return OffsetTime.parse(time).withOffsetSameInstant(ZoneOffset.UTC).toLocalTime();
        }
    }

    /**
     * Prices in US dollars: for a million tokens, a thousand searches, a thousand requests. What has no price is charged
     * as the whole that it is a part of.
     */
    record Usd(
            @Default List<Step> input,
            @Default List<Step> cacheRead,
            @Default List<Step> cacheWrite,
            @Default List<Step> cacheWriteHour,
            @Default List<Step> output,
            @Default List<Step> reasoning,
            @Default List<Step> webSearches,
            @Default List<Step> requests) {}

    /** @param above the price holds for answers with more input tokens than these */
    record Step(@Default long above, double price) {
        Step {
            if (!(price >= 0)) {
                throw new IllegalArgumentException("price must not be negative");
            }
        }
    }
}
