package brig.gateway.config;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds and loads the configuration: the shipped defaults, overlaid by the operator's file.
 *
 * <p>Decision 0002.
 */
public final class ConfigFile {
    private ConfigFile() {}

    /**
     * @param home the folder that Brig is installed in, with {@code config/brig.json}
     * @param chosen the file named on the command line; null uses the usual place
     * @throws BrigException {@code INVALID_FIELD} or {@code MALFORMED_JSON}, naming the file
     */
    public static Config load(Path home, @Nullable Path chosen) {
        JsonObject values = JsonObject.readCommented(text(home.resolve("config/brig.json")));
        Optional<Path> own = chosen != null ? Optional.of(chosen) : usualPlace();
        if (own.isEmpty()) {
            return values.as(Config.class);
        }
        String text = text(own.get());
        try {
            return values.overlaid(JsonObject.readCommented(text)).as(Config.class);
        } catch (BrigException e) {
            throw new BrigException(e.code(), own.get() + ": " + e.getMessage());
        }
    }

    /** The operator's file if none is named: in {@code /etc/brig} for root, else in the user's configuration folder. */
    public static Optional<Path> usualPlace() {
        Path file = ownPlace();
        return Files.exists(file) ? Optional.of(file) : Optional.empty();
    }

    /** The same, whether or not it exists. */
    public static Path ownPlace() {
        return Paths.isRoot()
                ? Path.of("/etc/brig/brig.json")
                : Paths.xdg("XDG_CONFIG_HOME", ".config").resolve("brig/brig.json");
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.INVALID_FIELD, "cannot read the configuration " + file + ": " + Reason.of(e));
        }
    }
}
