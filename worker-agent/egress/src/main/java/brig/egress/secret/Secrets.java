package brig.egress.secret;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The current secrets of one worker; immutable. A secret without a value (no source, revoked) keeps its placeholder,
 * and a request with it is refused.
 */
public final class Secrets {
    /** No secrets. */
    public static final Secrets NONE = new Secrets(Map.of(), Map.of(), Map.of());

    /** A secret, found by its placeholder. */
    record Entry(String name, @Nullable String value) {}

    private final Map<String, Entry> byPlaceholder = new TreeMap<>();
    private final Map<String, String> placeholders;
    private final Map<String, String> values;
    private final List<Named> known = new ArrayList<>();

    /** A current or former value in one of its forms. */
    record Named(String name, Scrubber.Pair pair) {}

    /**
     * @param placeholders the placeholders of all secrets that the worker ever had, by name
     * @param values the usable values, by name
     * @param former former values, by name
     */
    public Secrets(Map<String, String> placeholders, Map<String, String> values, Map<String, List<String>> former) {
        this.placeholders = Map.copyOf(placeholders);
        this.values = Map.copyOf(values);
        new TreeMap<>(placeholders).forEach((name, placeholder) -> {
            byPlaceholder.put(placeholder, new Entry(name, values.get(name)));
            Set<String> all = new LinkedHashSet<>(former.getOrDefault(name, List.of()));
            String value = values.get(name);
            if (value != null) {
                all.add(value);
            }
            all.stream()
                    .flatMap(one -> AwsCredentials.partsOf(one).stream())
                    .forEach(one -> SecretForms.of(one)
                            .forEach(form -> known.add(new Named(
                                    name, new Scrubber.Pair(form.getBytes(UTF_8), placeholder.getBytes(UTF_8))))));
        });
    }

    public boolean isEmpty() {
        return placeholders.isEmpty();
    }

    public Set<String> names() {
        return placeholders.keySet();
    }

    @Nullable
    Entry find(String placeholder) {
        return byPlaceholder.get(placeholder);
    }

    /** The current value of that secret; null if there is none. */
    public @Nullable String value(String name) {
        return values.get(name);
    }

    /** The text with values in place of placeholders, to compare credentials. It goes nowhere. */
    public String reveal(String text) {
        String revealed = text;
        for (Map.Entry<String, Entry> entry : byPlaceholder.entrySet()) {
            String value = entry.getValue().value();
            revealed = value == null ? revealed : revealed.replace(entry.getKey(), value);
        }
        return revealed;
    }

    List<Named> known() {
        return known;
    }

    /** A filter that replaces values by placeholders in answers. */
    public Scrubber scrubber(List<Scrubber.Pair> more) {
        List<Scrubber.Pair> pairs = new ArrayList<>(more);
        known.forEach(named -> pairs.add(named.pair()));
        return new Scrubber(pairs);
    }

    /** The text without secrets, for reports on a request. */
    public String scrub(String text) {
        return known.isEmpty() ? text : new String(scrubber(List.of()).whole(text.getBytes(UTF_8)), UTF_8);
    }
}
