package brig.loadtests.whole;

import brig.loadtests.client.SpawnBody;
import brig.loadtests.product.HttpWire;
import brig.protocol.api.SpawnAnswer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Sessions of one agent, ended with this. */
public record Sessions(HttpWire.Place place, List<String> ids) implements AutoCloseable {
    /** Starts so many, one after the other. */
    public static Sessions spawn(HttpWire.Place place, String agent, int count) throws IOException {
        byte[] request = place.request(
                "POST",
                "/api/v1/spawns?wait=60s",
                SpawnBody.of(agent).saying("go").text());
        List<String> ids = new ArrayList<>();
        try (HttpWire requests = place.connect()) {
            for (int i = 0; i < count; i++) {
                ids.add(requests.send(request).answer(201).as(SpawnAnswer.class).spawnId());
            }
        }
        return new Sessions(place, ids);
    }

    @Override
    public void close() throws IOException {
        try (HttpWire requests = place.connect()) {
            for (String id : ids) {
                requests.send(place.request("DELETE", "/api/v1/spawns/" + id, ""))
                        .answer(202);
            }
        }
    }
}
