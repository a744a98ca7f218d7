package brig.loadtests;

import brig.loadtests.client.SpawnBody;
import brig.loadtests.product.HttpWire;
import brig.protocol.api.SpawnAnswer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Many sessions of one agent. */
final class Sessions {
    private Sessions() {}

    /** Spawns that many, and says "go" to each. @return their ids */
    static List<String> spawn(HttpWire.Place place, String agent, int count) throws IOException {
        byte[] request = place.request(
                "POST",
                "/api/v1/spawns?wait=60s",
                SpawnBody.of(agent).saying("go").text());
        List<String> sessions = new ArrayList<>();
        try (HttpWire requests = place.connect()) {
            for (int i = 0; i < count; i++) {
                sessions.add(
                        requests.send(request).answer(201).as(SpawnAnswer.class).spawnId());
            }
        }
        return sessions;
    }

    static void terminate(HttpWire.Place place, List<String> sessions) throws IOException {
        try (HttpWire requests = place.connect()) {
            for (String session : sessions) {
                requests.send(place.request("DELETE", "/api/v1/spawns/" + session, ""))
                        .answer(202);
            }
        }
    }
}
