package brig.workeragent.profile;

import brig.protocol.spawn.PermissionMode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What values in agent profiles may be. Each refusal is an {@link IllegalArgumentException} that names the key. */
final class ProfileValues {
    /** Fields of a request that a profile may have a place for. */
    static final List<String> ASKED = List.of("model", "systemPrompt", "tools");
    /** Places in {@code arguments} for each {@link PermissionMode}. */
    static final String PERMISSIONS = "permissions.";

    private static final Set<String> PLACES = Stream.concat(
                    ASKED.stream(), Stream.of(PermissionMode.values()).map(mode -> PERMISSIONS + mode.wireName()))
            .collect(Collectors.toUnmodifiableSet());
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    private ProfileValues() {}

    static void requireOneOf(String key, String value, List<String> known) {
        if (!known.contains(value)) {
            throw new IllegalArgumentException(key + ": must be one of " + known + ", not '" + value + "'");
        }
    }

    static void requireVariables(String key, Map<String, String> env) {
        env.forEach((name, value) -> {
            if (!VARIABLE.matcher(name).matches()) {
                throw new IllegalArgumentException(key + ": '" + name + "' is not a variable name");
            }
            requireNoNul(key, name + value);
        });
    }

    static void requireArguments(String key, Map<String, List<String>> arguments) {
        if (!PLACES.containsAll(arguments.keySet())) {
            throw new IllegalArgumentException(key + ": must be for some of " + new TreeSet<>(PLACES));
        }
        arguments.values().forEach(list -> list.forEach(argument -> requireNoNul(key, argument)));
    }

    static void requireNoNul(String key, String value) {
        if (value.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(key + ": has a NUL character");
        }
    }
}
