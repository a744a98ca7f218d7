package brig.loadtests.suite;

import brig.protocol.json.JsonObject;
import brig.protocol.record.Settings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The content of {@code suite.json}. Its {@code defaults} holds the keys that scenarios and bounds may omit.
 *
 * @param full  every scenario at length
 * @param quick about two minutes
 * @param guard what is compared with an earlier product
 */
@Settings
public record Suite(Profile full, Profile quick, Profile guard, List<Scenario> scenarios, List<Bound> bounds) {
    private static final String DEFAULTS = "defaults";
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

    /** The shipped suite. */
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
        JsonObject file = JsonObject.readCommented(text);
        JsonObject defaults = file.object(DEFAULTS);
        JsonObject.Builder filled = JsonObject.builder();
        for (String name : file.names()) {
            if (!name.equals(DEFAULTS)) {
                filled.put(name, filled(file.value(name), defaults.object(name)));
            }
        }
        return filled.build().as(Suite.class);
    }

    /** The elements of a list with defaults filled in; invalid elements are refused when bound. */
    private static @Nullable Object filled(@Nullable Object list, JsonObject defaults) {
        return list instanceof List<?> elements
                ? elements.stream()
                        .map(element -> element instanceof JsonObject over ? defaults.overlaid(over) : element)
                        .toList()
                : list;
    }

    public Optional<Scenario> scenario(String name) {
        return scenarios.stream()
                .filter(scenario -> scenario.name().equals(name))
                .findFirst();
    }
}
