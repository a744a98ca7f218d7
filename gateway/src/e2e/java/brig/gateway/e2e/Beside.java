package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.util.List;

/** A session that goes on beside whatever a test does to others, and can show that nothing happened to it. */
final class Beside implements AutoCloseable {
    private final Product product;
    private final Spawned spawned;
    private final Wire captain;
    private final Frames frames = new Frames();
    private int messages;

    Beside(Product product) throws IOException {
        this.product = product;
        spawned = product.idle("beside");
        captain = spawned.captain();
        frames.readUntilType(captain, "state");
    }

    Spawned spawned() {
        return spawned;
    }

    /** Its agent answers, it got no message but ours, and it is the only session. */
    void requireUntouched() throws IOException {
        captain.sendLine(Spawned.user("echo alive " + ++messages));
        frames.readUntilType(captain, "done");
        StringBuilder expected = new StringBuilder();
        for (int i = 1; i <= messages; i++) {
            expected.append("alive ").append(i).append('\n');
        }
        assertEquals(expected.toString(), frames.text());
        assertEquals(0, frames.missing());
        List<JsonObject> live = product.ask("{\"action\":\"list\"}").objects("spawns").stream()
                .filter(spawn -> !spawn.has("ended_ms"))
                .toList();
        assertEquals(1, live.size(), () -> "other sessions: " + live);
    }

    @Override
    public void close() throws IOException {
        captain.close();
    }
}
