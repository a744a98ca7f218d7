package brig.egress.price;

import brig.egress.price.PriceFile.Model;
import brig.egress.price.PriceFile.Step;
import brig.egress.price.PriceFile.Usd;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * What models cost. It judges as the calculator does from which the shipped prices come: the provider by the address of
 * the API, else by the name of the model; the model by its name; the price by the day and the time. Thread-safe.
 *
 * <p>Decision 0190.
 */
public final class Prices {
    private static final double MILLION = 1e6;
    private static final double THOUSAND = 1e3;
    /** Names of models come from servers, so what is remembered of them is bounded. */
    private static final int REMEMBERED_MAX = 1_000;

    private static final Pattern COMPACT_DATE =
            Pattern.compile("(?<=-)(20\\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\\d|3[01])(?=-|:|$)");

    private final PriceFile file;
    private final Map<String, PriceFile.Provider> byId = new LinkedHashMap<>();
    private final Map<String, Optional<Priced>> found = new ConcurrentHashMap<>();

    private record Priced(PriceFile.Provider provider, Model model) {
        OptionalDouble cost(Instant time, Tokens tokens) {
            return Prices.cost(model.at(time), provider.reasoningApart() ? tokens.withReasoning() : tokens);
        }
    }

    private Prices(PriceFile file) {
        this.file = file;
        file.providers().forEach(provider -> byId.put(provider.id(), provider));
    }

    /** @throws BrigException {@code INVALID_FIELD} or {@code MALFORMED_JSON} if the file is no list of prices */
    public static Prices read(byte[] file) {
        try {
            return new Prices(Json.read(file, PriceFile.class));
        } catch (IllegalArgumentException e) {
            throw new BrigException(ErrorCode.INVALID_FIELD, String.valueOf(e.getMessage()));
        }
    }

    /** The prices that come with Brig. */
    public static Prices shipped() {
        try (InputStream in = Objects.requireNonNull(Prices.class.getResourceAsStream("prices.json"))) {
            return read(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** These prices behind those of another list, which count first. */
    public Prices behind(Prices first) {
        List<PriceFile.Provider> all = new ArrayList<>();
        for (PriceFile.Provider own : file.providers()) {
            PriceFile.Provider other = first.byId.get(own.id());
            all.add(other == null ? own : own.behind(other));
        }
        all.addAll(
                0,
                first.file.providers().stream()
                        .filter(other -> !byId.containsKey(other.id()))
                        .toList());
        return new Prices(new PriceFile(first.file.date(), first.file.from(), all));
    }

    /**
     * The cost of an answer in US dollars; empty if the model has no price, or the counts contradict each other.
     *
     * @param url the address of the API
     * @param model as the answer names it
     */
    public OptionalDouble cost(String url, String model, Instant time, Tokens tokens) {
        return priced(url, model.toLowerCase(Locale.ROOT).strip())
                .map(priced -> priced.cost(time, tokens))
                .orElse(OptionalDouble.empty());
    }

    /** The most that so many tokens can cost, whatever part of them a cache has or takes. Empty as {@link #cost}. */
    public OptionalDouble most(String url, String model, Instant time, long input, long output) {
        OptionalDouble plain = cost(url, model, time, new Tokens(input, 0, 0, 0, output, 0, 0));
        if (plain.isEmpty()) {
            return plain;
        }
        double most = plain.getAsDouble();
        for (long reasoning : new long[] {0, output}) {
            for (long hour : new long[] {0, input}) {
                Tokens tokens = new Tokens(input, 0, input, hour, output, reasoning, 0);
                most = Math.max(most, cost(url, model, time, tokens).orElse(0));
            }
        }
        return OptionalDouble.of(most);
    }

    private Optional<Priced> priced(String url, String name) {
        String key = name + ' ' + url;
        Optional<Priced> known = found.get(key);
        if (known == null) {
            known = search(url, name);
            if (found.size() >= REMEMBERED_MAX) {
                found.clear();
            }
            found.put(key, known);
        }
        return known;
    }

    private Optional<Priced> search(String url, String name) {
        PriceFile.Provider provider = file.providers().stream()
                .filter(one -> one.isAt(url))
                .findFirst()
                .or(() -> file.providers().stream()
                        .filter(one -> one.makes() != null && one.makes().fits(name))
                        .findFirst())
                .orElse(null);
        return provider == null
                ? Optional.empty()
                : find(provider, name).or(() -> find(provider, dashed(name))).map(model -> new Priced(provider, model));
    }

    private Optional<Model> find(PriceFile.Provider provider, String name) {
        return provider.models().stream()
                .filter(model -> model.match().fits(name))
                .findFirst()
                .or(() -> provider.fallback().stream()
                        .map(byId::get)
                        .filter(other -> other != null && !other.id().equals(provider.id()))
                        .flatMap(other -> other.models().stream())
                        .filter(model -> model.match().fits(name))
                        .findFirst());
    }

    /** The same model by a date with dashes: {@code -20260423} is {@code -2026-04-23}. */
    private static String dashed(String name) {
        return COMPACT_DATE
                .matcher(name)
                .replaceAll((MatchResult date) -> date.group(1) + "-" + date.group(2) + "-" + date.group(3));
    }

    private static OptionalDouble cost(Usd usd, Tokens tokens) {
        long cacheRead = usd.cacheRead().isEmpty() ? 0 : tokens.cacheRead();
        long cacheWrite = usd.cacheWrite().isEmpty() ? 0 : tokens.cacheWrite();
        long cacheWriteHour = usd.cacheWriteHour().isEmpty() ? 0 : tokens.cacheWriteHour();
        long reasoning = usd.reasoning().isEmpty() ? 0 : tokens.reasoning();
        long input = tokens.input() - cacheRead - cacheWrite;
        long output = tokens.output() - reasoning;
        if (input < 0 || output < 0 || cacheWrite < cacheWriteHour) {
            return OptionalDouble.empty();
        }
        double sum = charge(usd.input(), input, tokens, MILLION)
                + charge(usd.cacheRead(), cacheRead, tokens, MILLION)
                + charge(usd.cacheWrite(), cacheWrite - cacheWriteHour, tokens, MILLION)
                + charge(usd.cacheWriteHour(), cacheWriteHour, tokens, MILLION)
                + charge(usd.output(), output, tokens, MILLION)
                + charge(usd.reasoning(), reasoning, tokens, MILLION)
                + charge(usd.webSearches(), tokens.webSearches(), tokens, THOUSAND)
                + charge(usd.requests(), 1, tokens, THOUSAND);
        return OptionalDouble.of(sum);
    }

    private static double charge(List<Step> steps, long count, Tokens tokens, double per) {
        double price = 0;
        for (Step step : steps) {
            price = step.above() == 0 || tokens.input() > step.above() ? step.price() : price;
        }
        return price * count / per;
    }
}
