package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.formats.terminal.TerminalModel;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who comes late to the terminal of an agent begins at a checkpoint, and sees what one sees who was there. */
@Timeout(180)
class TerminalCheckpointTest {
    private static final int MEGABYTE = 1 << 20;

    @Test
    void shouldShowTheSameToWhoBeginsAtACheckpoint() throws IOException {
        try (Product product = Product.start(Map.of())) {
            Spawned spawned = new Spawned(
                    product, product.ask("{\"action\":\"spawn\",\"agent_config\":{\"name\":\"shell\"},\"tty\":true}"));
            long last;
            try (Terminal captain = Terminal.at(spawned.captain())) {
                // The agent is told where the cursor is, by no terminal of a person.
                captain.type("printf 'abc\\033[6n'; IFS= read -rsd R at; echo; echo col $((1+1)) ${at##*;}\r")
                        .awaitText("col 2 4");
                captain.type("head -c " + MEGABYTE + " <(seq 1 300000); echo; echo much $((1+1))\r")
                        .awaitText("much 2");
                captain.resize(100, 30);
                captain.type("seq 1 20000; printf '\\033[1;31mred\\033[0m '; echo all $((1+1))\r")
                        .awaitText("all 2");
                captain.type("echo -e '\\033[5;20Hhere' $((6*7))\r");
                last = lastChunk(captain, "here 42");
            }
            try (Wire whole = spawned.captain();
                    Wire late = Wire.unix(spawned.socket())
                            .sendLine("{\"auth\":\"" + spawned.captainToken() + "\",\"from\":\"screen\"}")) {
                TerminalModel begun = TerminalCells.after(late, last);
                assertEquals(TerminalCells.after(whole, last).state(), begun.state());
                assertEquals(100, begun.columns());
            }
        }
    }

    private static long lastChunk(Terminal captain, String text) throws IOException {
        StringBuilder shown = new StringBuilder();
        JsonObject frame = JsonObject.EMPTY;
        while (shown.indexOf(text) < 0) {
            frame = captain.await("chunk");
            shown.append(frame.text("content", ""));
        }
        return frame.number("seq", 0);
    }
}
