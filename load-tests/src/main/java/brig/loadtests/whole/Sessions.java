package brig.loadtests.whole;

import brig.loadtests.client.SpawnBody;
import brig.loadtests.product.AgentFile;
import brig.loadtests.product.Brig;
import brig.loadtests.product.HttpWire;
import brig.protocol.api.SpawnAnswer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The sessions of a product under such a load. */
public record Sessions(HttpWire.Place place) {
    /** The agent that writes at a rate. */
    public static final String PACED = "paced";

    public static final String WAITING = "waiting";

    public static Sessions of(Brig brig) {
        return new Sessions(HttpWire.Place.unix(brig.httpSocket().toString()));
    }

    /** The profiles that the product needs. */
    public static Map<String, AgentFile> agents(int rate) {
        return Map.of(
                PACED,
                AgentFile.installed(
                        "Writes lines at a rate",
                        List.of("{program}", "write", String.valueOf(rate), String.valueOf(Integer.MAX_VALUE)),
                        "lib/load-tests/brig-pace"),
                WAITING,
                AgentFile.spawned("Waits", List.of("/bin/sleep", "infinity"), "null"));
    }

    /** Measures agents at that rate. */
    public static Paced measure(Brig brig, Load load) throws IOException {
        return measure(brig, PACED, load);
    }

    /** Measures agents of that name, which write as much. */
    public static Paced measure(Brig brig, String agent, Load load) throws IOException {
        Sessions own = of(brig);
        List<String> sessions = own.spawn(agent, load.streams());
        try {
            return Paced.measure(load, brig.httpSocket(), sessions, () -> Costs.of(brig));
        } finally {
            own.terminate(sessions);
        }
    }

    public List<String> spawn(String agent, int count) throws IOException {
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

    public void terminate(List<String> sessions) throws IOException {
        try (HttpWire requests = place.connect()) {
            for (String session : sessions) {
                requests.send(place.request("DELETE", "/api/v1/spawns/" + session, ""))
                        .answer(202);
            }
        }
    }
}
