package brig.gateway.nats;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Whether servers keep what they acknowledge. Every server tells its version. How often it writes to disk it tells
 * the system account alone.
 */
final class ServerCheck {
    /** Up to 2.10.22 a server could lose whole streams. */
    private static final int[] OLDEST = {2, 10, 23};

    private static final Pattern VERSION = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})\\.(\\d{1,4}).*");
    private static final String MEND =
            "set 'jetstream { sync_interval: always }' in its configuration and restart it, one"
                    + " server after the other; or accept the loss of what was acknowledged in the two minutes before a loss of"
                    + " power with cluster.unsafeSync or --unsafe-sync";

    private ServerCheck() {}

    /**
     * What a server says of itself.
     *
     * @param syncAlways null if it is not known
     */
    record Server(String name, String version, @Nullable Boolean syncAlways) {
        /** Reads an answer to {@code $SYS.REQ.SERVER.PING.JSZ}. */
        static Server read(byte[] answer) {
            JsonObject all = JsonObject.read(answer);
            JsonObject server = all.object("server");
            JsonObject config = all.object("data").object("config");
            return new Server(
                    text(server, "name"),
                    text(server, "ver"),
                    config.has("store_dir") ? config.flag("sync_always") : null);
        }

        private static String text(JsonObject object, String name) {
            String text = object.text(name);
            return text == null ? "?" : text;
        }
    }

    /** @throws BrigException with the mend, for the first server that is too old */
    static void requireNew(String name, String version) {
        Matcher found = VERSION.matcher(version);
        boolean isNew = false;
        if (found.matches()) {
            int[] its = {
                Integer.parseInt(found.group(1)), Integer.parseInt(found.group(2)), Integer.parseInt(found.group(3))
            };
            isNew = Arrays.compare(its, OLDEST) >= 0;
        }
        if (!isNew) {
            throw new BrigException(
                    ErrorCode.INTERNAL,
                    "nats-server " + name + " is version " + version
                            + ", and up to 2.10.22 streams can be lost; upgrade it to 2.10.23 or later");
        }
    }

    /**
     * @param answers of all servers that answered the system account; empty without one
     * @throws BrigException with the mend, if one of them, or an unknown one, may lose what it acknowledged
     */
    static void requireSync(List<Server> answers, boolean unsafeSync) {
        if (unsafeSync) {
            return;
        }
        List<Server> withStreams =
                answers.stream().filter(server -> server.syncAlways() != null).toList();
        if (withStreams.isEmpty()) {
            throw new BrigException(
                    ErrorCode.INTERNAL,
                    "it is not known whether the NATS servers write to disk before they acknowledge: they tell only the"
                            + " system account. Name its credentials in cluster.systemCredentialsFile; or, if all servers"
                            + " have 'jetstream { sync_interval: always }', say so with cluster.unsafeSync or --unsafe-sync");
        }
        List<String> lax = new ArrayList<>();
        withStreams.stream()
                .filter(server -> !Boolean.TRUE.equals(server.syncAlways()))
                .forEach(server -> lax.add(server.name()));
        if (!lax.isEmpty()) {
            throw new BrigException(
                    ErrorCode.INTERNAL,
                    "nats-server " + String.join(", ", lax) + " acknowledges what is not on disk yet: " + MEND);
        }
    }
}
