package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sessions whose agent has a terminal: bash behind the wall, driven over session sockets. */
@Timeout(180)
class TerminalSessionTest {
    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        product = Product.start(Map.of());
    }

    @AfterAll
    static void stop() throws IOException {
        product.close();
    }

    private static JsonObject asked(String agent, String more) throws IOException {
        return product.ask("{\"action\":\"spawn\",\"agent_config\":{\"name\":\"" + agent + "\"}," + more + "}");
    }

    private static Spawned bash(String tty) throws IOException {
        return new Spawned(product, asked("shell", "\"tty\":" + tty));
    }

    @Test
    void shouldBeATerminalOfTheWallsOwn() throws IOException {
        Spawned spawned = bash("{\"cols\":100,\"rows\":30}");
        try (Terminal captain = Terminal.at(spawned.captain())) {
            JsonObject first = captain.await("tty");
            assertEquals(List.of(100L, 30L), List.of(first.value("cols"), first.value("rows")));
            captain.type("tty; stty size; echo $TERM-$COLORTERM\r");
            captain.awaitText("/dev/pts/0").awaitText("30 100").awaitText("xterm-256color-truecolor");
            captain.resize(121, 41);
            JsonObject then = captain.await("tty");
            assertEquals(List.of(121L, 41L), List.of(then.value("cols"), then.value("rows")));
            captain.type("stty size\r").awaitText("41 121");
            captain.type("sh -c 'echo up $((1+1)); exec sleep 1000'\r")
                    .awaitText("up 2")
                    .type("\u0003")
                    .awaitText("^C");
            captain.type("echo $((6*7))é\r").awaitText("42é");
            captain.type("exit 3\r");
            assertEquals(3L, captain.await("done").value("exit_code"));
            assertEquals("completed", captain.await("state").text("reason"));
        }
        Await.until("nothing of it is left", () -> Processes.with(spawned.id()).isEmpty());
    }

    @Test
    void shouldGoOnWhenTheGatewayIsKilled() throws IOException {
        Spawned one = bash("true");
        Spawned other = bash("true");
        long seen;
        try (Terminal captain = Terminal.at(one.captain());
                Terminal second = Terminal.at(other.captain())) {
            captain.type("X=one\r(while sleep 0.2; do echo tick; done) &\r").awaitText("tick\r\n");
            second.type("X=other; echo $X-\r").awaitText("other-\r\n");
            seen = captain.await("chunk").number("seq", 0);
        }
        product.kill();
        product.serve();
        try (Terminal captain = Terminal.at(one.captain(seen + 1));
                Terminal second = Terminal.at(other.captain())) {
            assertEquals(seen + 1, captain.await("chunk").number("seq", 0));
            captain.type("echo $X-$X\r").awaitText("one-one\r\n");
            second.type("echo $X+\r").awaitText("other+\r\n");
            second.wire().sendLine("{\"action\":\"terminate\"}");
            assertEquals("requested", second.await("state").text("reason"));
            captain.type("exit\r").await("done");
        }
        Await.until(
                "nothing is left",
                () -> Processes.with(one.id()).isEmpty()
                        && Processes.with(other.id()).isEmpty());
    }

    /** Where a late captain begins that asks for the newest checkpoint. */
    private static JsonObject late(Spawned spawned) throws IOException {
        try (Wire wire = Wire.unix(spawned.socket())) {
            wire.sendLine("{\"auth\":\"" + spawned.captainToken() + "\",\"from\":\"screen\"}");
            wire.message();
            return wire.message();
        }
    }

    @Test
    void shouldBeginAtTheNewestCheckpoint() throws IOException {
        Spawned spawned = bash("true");
        assertEquals(1L, late(spawned).number("seq", 0));
        try (Terminal captain = Terminal.at(spawned.captain())) {
            captain.type("seq 400000; echo $((6*7))-end\r");
            captain.await("screen");
            captain.awaitText("42-end");
        }
        JsonObject screen = late(spawned);
        assertEquals("screen", screen.text("type"));
        product.kill();
        product.serve();
        Await.until("a restarted gateway finds it", () -> late(spawned).number("seq", 0) == screen.number("seq", -1));
        try (Terminal captain = Terminal.at(spawned.captain(screen.number("seq", 0)))) {
            captain.type("exit\r").await("done");
        }
    }

    @Test
    void shouldRefuseWhatIsNotForATerminal() throws IOException {
        assertTrue(asked("mock", "\"tty\":true").text("error", "").contains("'mock' has no terminal"));
        assertEquals(
                "INVALID_FIELD",
                asked("shell", "\"tty\":true,\"prompt\":\"ls\"").text("code"));
        assertEquals("INVALID_FIELD", asked("shell", "\"tty\":{\"cols\":1001}").text("code"));
        Spawned spawned = bash("true");
        Spawned plain = product.idle("plain");
        try (Terminal captain = Terminal.at(spawned.captain());
                Terminal watcher = Terminal.at(spawned.attach("watcher"));
                Terminal other = Terminal.at(plain.captain())) {
            watcher.type("id\r");
            assertEquals("FORBIDDEN", watcher.await("error").text("code"));
            captain.wire().sendLine(Spawned.user("ls"));
            assertEquals("INPUT_NOT_ACCEPTED", captain.await("error").text("code"));
            captain.resize(0, 24);
            assertEquals("INVALID_FIELD", captain.await("error").text("code"));
            captain.type("x".repeat(16 * 1024 + 1));
            assertEquals("INVALID_FIELD", captain.await("error").text("code"));
            other.type("id\r");
            assertEquals("INPUT_NOT_ACCEPTED", other.await("error").text("code"));
            captain.type("echo still $((1+1))\r").awaitText("still 2");
            captain.type("exit\r").await("done");
        }
    }
}
