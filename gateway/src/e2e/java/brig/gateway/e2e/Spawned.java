package brig.gateway.e2e;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A spawn of a test: what the answer said, and the ways to it. */
record Spawned(Product product, JsonObject answer) {
    Spawned {
        if (!answer.text("status", "").equals("spawned")) {
            throw new AssertionError("no spawn: " + answer);
        }
    }

    String id() {
        return answer.text("spawn_id", "");
    }

    String captainToken() {
        return answer.text("auth_token", "");
    }

    String watcherToken() {
        return answer.text("watcher_token", "");
    }

    Path workspace() {
        return Path.of(answer.text("workspace", ""));
    }

    Path socket() {
        return Path.of(answer.text("io_socket", ""));
    }

    /** A captain on the session socket that has said its token; the welcome comes next. */
    Wire captain(long from) throws IOException {
        return Wire.unix(socket()).sendLine("{\"auth\":\"" + captainToken() + "\",\"from\":" + from + "}");
    }

    Wire captain() throws IOException {
        return captain(1);
    }

    /** A reader through the spawner socket, which needs no token. */
    Wire attach(String role) throws IOException {
        return product.dial().sendLine("{\"action\":\"attach\",\"id\":\"" + id() + "\",\"role\":\"" + role + "\"}");
    }

    static String user(String content) {
        return new String(Json.write(Map.of("role", "user", "content", content)), StandardCharsets.UTF_8);
    }

    JsonObject view() throws IOException {
        return product.ask("{\"action\":\"status\",\"id\":\"" + id() + "\"}");
    }

    /** Where its frames are recorded. */
    Path record() {
        return product.folder().resolve("state/streams").resolve(id());
    }

    /** The last of its frames is on disk, which may be a while after everybody has seen it. */
    boolean isRecorded() {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(record())) {
            for (Path file : files) {
                if (Files.readString(file, StandardCharsets.ISO_8859_1).contains("\"state\":\"terminated\"")) {
                    return true;
                }
            }
            return false;
        } catch (IOException notYet) {
            return false;
        }
    }
}
