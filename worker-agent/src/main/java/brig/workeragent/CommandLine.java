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
 * @param config a configuration file; null looks in the usual places
 * @param home the folder that Brig is installed in, with {@code config} and {@code lib/native} below it
 * @param runtimeDir where the sockets are; null takes that of the configuration
 * @param stateDir the same for what lasts
 * @param gatewayUser who the gateway runs as, where that is neither root nor we; name or uid
 * @param embedded ends by itself when nobody needs it any more
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
        // The start script says where it lies.
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
