package brig.workeragent;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.JsonObject;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The command line.
 *
 * <p>Decisions 0080, 0158.
 *
 * @param config a configuration file; null uses the usual place
 * @param home the folder that Brig is installed in, with {@code config} and {@code lib/native} below it
 * @param runtimeDir the folder of the sockets; null takes the configured one
 * @param stateDir the folder of persistent state; null likewise
 * @param gatewayUser name or uid of the gateway's user, if that is neither root nor our own
 * @param embedded whether it ends by itself when it is no longer needed
 * @param idleExitMs for how long it must have been unneeded for that
 * @param over settings that take precedence over the files'
 * @param gate the port of a sandbox for its gateway; null for none
 */
record CommandLine(
        @Nullable Path config,
        Path home,
        @Nullable Path runtimeDir,
        @Nullable Path stateDir,
        @Nullable String gatewayUser,
        boolean embedded,
        long idleExitMs,
        JsonObject over,
        @Nullable GateOptions gate) {
    static final String USAGE = "usage: worker-agent [--config FILE] [--home DIR] [--runtime-dir DIR]"
            + " [--state-dir DIR] [--gateway-user NAME] [--workers-max N] [--spill-bytes-max N]"
            + " [--embedded [--idle-exit-s N]]"
            + " [--gate ADDRESS:PORT --gate-key FILE --gateway-id ID --spawn-id ID]";

    private static final long IDLE_EXIT_S = 30;
    private static final long IDLE_EXIT_S_MAX = 31 * 86_400;
    /** Options for settings of the section {@code worker}. */
    private static final Map<String, String> SETTINGS =
            Map.of("--workers-max", "workersMax", "--spill-bytes-max", "spillBytesMax");

    /** Without a gate. */
    CommandLine(
            @Nullable Path config,
            Path home,
            @Nullable Path runtimeDir,
            @Nullable Path stateDir,
            @Nullable String gatewayUser,
            boolean embedded,
            long idleExitMs,
            JsonObject over) {
        this(config, home, runtimeDir, stateDir, gatewayUser, embedded, idleExitMs, over, null);
    }

    /** Reads the arguments. @throws BrigException {@code INVALID_FIELD} */
    static CommandLine parse(String... arguments) {
        Map<String, String> values = new HashMap<>();
        boolean embedded = false;
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--embedded" -> embedded = true;
                case "--config",
                        "--home",
                        "--runtime-dir",
                        "--state-dir",
                        "--gateway-user",
                        "--workers-max",
                        "--spill-bytes-max",
                        "--idle-exit-s",
                        "--gate",
                        "--gate-key",
                        "--gateway-id",
                        "--spawn-id" -> {
                    if (i + 1 == arguments.length) {
                        throw refusal(arguments[i] + " needs a value");
                    }
                    values.put(arguments[i], arguments[i + 1]);
                    i++;
                }
                default -> throw refusal("unknown argument " + arguments[i]);
            }
        }
        // Set by the start script.
        String home = values.getOrDefault("--home", System.getProperty("brig.home", ""));
        return new CommandLine(
                path(values.get("--config")),
                absolute(home),
                path(values.get("--runtime-dir")),
                path(values.get("--state-dir")),
                values.get("--gateway-user"),
                embedded,
                1000 * idleExitS(values),
                over(values),
                gate(values));
    }

    private static @Nullable GateOptions gate(Map<String, String> values) {
        String address = values.get("--gate");
        return address == null
                ? null
                : GateOptions.of(
                        address,
                        absolute(values.getOrDefault("--gate-key", "")),
                        values.getOrDefault("--gateway-id", ""),
                        values.getOrDefault("--spawn-id", ""));
    }

    private static long idleExitS(Map<String, String> values) {
        long seconds = values.containsKey("--idle-exit-s") ? number("--idle-exit-s", values) : IDLE_EXIT_S;
        if (seconds < 1 || seconds > IDLE_EXIT_S_MAX) {
            throw refusal("--idle-exit-s must be from 1 to " + IDLE_EXIT_S_MAX);
        }
        return seconds;
    }

    private static JsonObject over(Map<String, String> values) {
        Map<String, Long> worker = new TreeMap<>();
        SETTINGS.forEach((option, setting) -> {
            if (values.containsKey(option)) {
                worker.put(setting, number(option, values));
            }
        });
        return worker.isEmpty() ? JsonObject.EMPTY : JsonObject.of(Map.of("worker", JsonObject.of(worker)));
    }

    private static long number(String option, Map<String, String> values) {
        try {
            return Long.parseLong(values.getOrDefault(option, ""));
        } catch (NumberFormatException e) {
            throw refusal(option + " must be a whole number");
        }
    }

    private static @Nullable Path path(@Nullable String value) {
        return value == null ? null : absolute(value);
    }

    private static Path absolute(String value) {
        return Path.of(value).toAbsolutePath().normalize();
    }

    private static BrigException refusal(String why) {
        return new BrigException(ErrorCode.INVALID_FIELD, why + "; " + USAGE);
    }
}
