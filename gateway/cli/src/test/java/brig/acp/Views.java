package brig.acp;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.api.SpawnView;
import brig.protocol.json.Json;

/** Answers of a gateway, with what a test does not care about. */
final class Views {
    static final String SPAWNED =
            "{\"task_id\":\"spn_1\",\"spawn_id\":\"spn_1\",\"workspace\":\"/a\",\"auth_token\":\"x\","
                    + "\"io_socket\":\"/x\",\"status\":\"spawned\"}";
    static final String AUTHENTICATED = "{\"type\":\"authenticated\",\"spawn_id\":\"spn_1\",\"task_id\":\"spn_1\","
            + "\"role\":\"captain\",\"epoch\":\"x\",\"from\":1,\"state\":\"running\"}";

    private Views() {}

    /** @param more further fields, each with a comma before it */
    static SpawnView spawn(String spawnId, String more) {
        return Json.read(
                ("{\"spawn_id\":\"" + spawnId + "\",\"task_id\":\"t\",\"provider\":\"local\",\"agent\":\"mock\","
                                + "\"state\":\"running\",\"activity\":\"idle\",\"workspace\":\"/a\",\"captain\":\"uid:0\","
                                + "\"epoch\":\"e\"" + more + "}")
                        .getBytes(UTF_8),
                SpawnView.class);
    }
}
