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
 * @param config a configuration file; null looks in the usual places
 * @param home the folder that Brig is installed in, with {@code config} and {@code lib/native} below it
 * @param runtimeDir where the sockets are; null takes that of the configuration
 * @param embedded ends by itself when nobody needs it any more
 */
record Options(@Nullable Path config, Path home, @Nullable Path runtimeDir, boolean embedded) {
    static final String USAGE =
            "usage: worker-agent [--config FILE] [--home DIR] [--runtime-dir DIR] [--embedded]";

    /** Reads the arguments. @throws BrigException {@code INVALID_FIELD} */
    static Options parse(String... arguments) {
        Map<String, Path> paths = new HashMap<>();
        boolean embedded = false;
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--embedded" -> embedded = true;
                case "--config", "--home", "--runtime-dir" -> {
                    if (i + 1 == arguments.length) {
                        throw refusal(arguments[i] + " needs a path");
                    }
                    paths.put(arguments[i], Path.of(arguments[i + 1]).toAbsolutePath().normalize());
                    i++;
                }
                default -> throw refusal("unknown argument " + arguments[i]);
            }
        }
        // The start script says where it lies.
        Path installed = Path.of(System.getProperty("brig.home", "")).toAbsolutePath();
        Path home = paths.getOrDefault("--home", installed);
        return new Options(paths.get("--config"), home, paths.get("--runtime-dir"), embedded);
    }

    private static BrigException refusal(String why) {
        return new BrigException(ErrorCode.INVALID_FIELD, why + "; " + USAGE);
    }
}
