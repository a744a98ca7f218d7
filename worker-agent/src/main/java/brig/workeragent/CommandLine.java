package brig.workeragent;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The command line.
 *
 * <p>Decision 0080.
 *
 * @param config a configuration file; null uses the usual place
 * @param home the folder that Brig is installed in, with {@code config} and {@code lib/native} below it
 * @param runtimeDir the folder of the sockets; null takes the configured one
 * @param stateDir the folder of persistent state; null likewise
 * @param gatewayUser name or uid of the gateway's user, if that is neither root nor our own
 * @param embedded whether it ends by itself when it is no longer needed
 */
record CommandLine(
        @Nullable Path config,
        Path home,
        @Nullable Path runtimeDir,
        @Nullable Path stateDir,
        @Nullable String gatewayUser,
        boolean embedded) {
    static final String USAGE = "usage: worker-agent [--config FILE] [--home DIR] [--runtime-dir DIR]"
            + " [--state-dir DIR] [--gateway-user NAME] [--embedded]";

    /** Reads the arguments. @throws BrigException {@code INVALID_FIELD} */
    static CommandLine parse(String... arguments) {
        Map<String, String> values = new HashMap<>();
        boolean embedded = false;
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--embedded" -> embedded = true;
                case "--config", "--home", "--runtime-dir", "--state-dir", "--gateway-user" -> {
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
                embedded);
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
