package brig.loadtests.suite;

import brig.protocol.json.Json;
import brig.protocol.json.Settings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * All of {@code suite.json}. There, {@code defaults} holds the keys that scenarios and bounds may leave out.
 *
 * @param full  every scenario at length
 * @param quick about two minutes
 */
public record Suite(Profile full, Profile quick, List<Scenario> scenarios, List<Bound> bounds) {
    private static final String FILE = "/brig/loadtests/suite.json";

    public Suite {
        for (Bound bound : bounds) {
            for (String name : List.of(bound.scenario(), bound.otherScenario())) {
                if (scenarios.stream().noneMatch(scenario -> scenario.name().equals(name))) {
                    throw new IllegalArgumentException("bounds name the scenario '" + name + "', which is unknown");
                }
            }
        }
    }

    /** The suite that ships. */
    public static Suite load() {
        try (InputStream in = Suite.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new IllegalStateException(FILE + " is not on the class path");
            }
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Suite parse(String text) {
        Map<String, @Nullable Object> file = new LinkedHashMap<>(Json.parseCommented(text));
        if (file.remove("defaults") instanceof Map<?, ?> defaults) {
            for (String list : List.of("scenarios", "bounds")) {
                file.put(list, filled(file.get(list), defaults.get(list)));
            }
        }
        return Settings.bind(file, Suite.class);
    }

    @SuppressWarnings("unchecked") // what is no object is refused when it is bound
    private static @Nullable Object filled(@Nullable Object list, @Nullable Object defaults) {
        if (list instanceof List<?> elements && defaults instanceof Map<?, ?> base) {
            return elements.stream()
                    .map(element -> element instanceof Map<?, ?> over
                            ? Settings.overlay(
                                    (Map<String, @Nullable Object>) base, (Map<String, @Nullable Object>) over)
                            : element)
                    .toList();
        }
        return list;
    }

    public Optional<Scenario> scenario(String name) {
        return scenarios.stream()
                .filter(scenario -> scenario.name().equals(name))
                .findFirst();
    }
}
