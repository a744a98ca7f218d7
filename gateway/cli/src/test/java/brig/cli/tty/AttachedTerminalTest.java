package brig.cli.tty;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.captain.CaptainGateway.Attached;
import brig.captain.ScriptedGateway;
import brig.formats.terminal.TerminalModel;
import brig.protocol.BrigException;
import brig.protocol.StreamPosition;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AttachedTerminalTest {
    private static final String ESC = "\u001b";
    private static final String WELCOME =
            "{\"type\":\"authenticated\",\"spawn_id\":\"spn_1\",\"task_id\":\"fix\",\"role\":\"%s\","
                    + "\"epoch\":\"4h2k9x0c\",\"from\":1,\"state\":\"running\"}";
    private static final String FROM_SCREEN = "{\"action\":\"attach\",\"from\":\"screen\",\"id\":\"spn_1\"}";
    private static final String SIZE = "{\"cols\":20,\"rows\":6,\"type\":\"resize\"}";

    private final ScriptedGateway gateway = new ScriptedGateway();
    private final ModelledWindow window = new ModelledWindow(20, 6);
    private final PipedOutputStream keys = new PipedOutputStream();
    private PipedInputStream typed;
    private long seq;

    @BeforeEach
    void plugIn() throws IOException {
        typed = new PipedInputStream(keys);
    }

    private CompletableFuture<AttachedTerminal.End> attach(String role) throws InterruptedException {
        return attach(role, null);
    }

    private CompletableFuture<AttachedTerminal.End> attach(String role, @Nullable String stay)
            throws InterruptedException {
        gateway.answer(WELCOME.formatted(role));
        AttachedTerminal terminal = new AttachedTerminal(
                window, from -> gateway.attach("spn_1", from), DetachKeys.of(DetachKeys.USUAL), stay);
        Attached first = gateway.attach("spn_1", StreamPosition.SCREEN);
        assertEquals(FROM_SCREEN, said());
        CompletableFuture<AttachedTerminal.End> end = CompletableFuture.supplyAsync(
                () -> terminal.run(first, typed), task -> Thread.ofPlatform().start(task));
        assertEquals("waiting for the agent's terminal", window.said.poll(20, TimeUnit.SECONDS));
        if (role.equals("captain")) {
            assertEquals(SIZE, said());
        }
        return end;
    }

    private String said() throws InterruptedException {
        String line = gateway.said.poll(20, TimeUnit.SECONDS);
        return line == null ? "nothing" : line;
    }

    private String frame(Map<String, Object> fields) {
        Map<String, Object> all = new LinkedHashMap<>(Map.of("seq", ++seq, "ts", 1L));
        all.putAll(fields);
        return new String(Json.write(JsonObject.of(all)), UTF_8);
    }

    private void size() {
        gateway.frame(frame(Map.of("type", "tty", "cols", 20L, "rows", 6L)), false);
    }

    private void chunk(String output) {
        gateway.frame(frame(Map.of("type", "chunk", "stream", "tty", "content", output)), true);
    }

    private void checkpoint(String content, boolean more) {
        gateway.frame(frame(Map.of("type", "screen", "cols", 20L, "rows", 6L, "content", content, "more", more)), true);
    }

    private void over(int exitCode) {
        gateway.frame(frame(Map.of("type", "done", "exit_code", (long) exitCode)), false);
        gateway.frame(frame(Map.of("type", "state", "state", "terminated")), true);
        gateway.cut();
    }

    private void awaitScreen(String output) throws InterruptedException {
        TerminalModel wanted = new TerminalModel(20, 6, answer -> {});
        wanted.write(output);
        for (int reads = 0; reads < 100 && !wanted.state().equals(window.screen()); reads++) {
            gateway.reads.tryAcquire(200, TimeUnit.MILLISECONDS);
        }
        assertEquals(wanted.state(), window.screen());
    }

    private void type(String text) throws IOException {
        keys.write(text.getBytes(UTF_8));
        keys.flush();
    }

    @Test
    void shouldShowTheTerminalFromItsFirstFrameAndEndWithTheAgentsCode() throws Exception {
        CompletableFuture<AttachedTerminal.End> end = attach("captain");
        size();
        chunk("hello " + ESC + "[1mworld");
        awaitScreen("hello " + ESC + "[1mworld");
        over(3);
        assertEquals(new AttachedTerminal.End(false, 3), end.get(20, TimeUnit.SECONDS));
    }

    @Test
    void shouldBeginWithACheckpointInPiecesAndPassOverLaterOnes() throws Exception {
        CompletableFuture<AttachedTerminal.End> end = attach("captain");
        seq = 500;
        checkpoint("one" + ESC, true);
        checkpoint("[3;3Htwo", false);
        chunk("!");
        checkpoint(ESC + "[2Jnever", false);
        awaitScreen("one" + ESC + "[3;3Htwo!");
        over(0);
        end.get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldSendKeysInOrderAndLeaveWithTheDetachKeys() throws Exception {
        CompletableFuture<AttachedTerminal.End> end = attach("captain");
        size();
        type("l\u00e9s\r");
        assertEquals("{\"data\":\"l\u00e9s\\r\",\"type\":\"keys\"}", said());
        type(ESC + "[A\u0010x");
        assertEquals("{\"data\":\"\\u001B[A\\u0010x\",\"type\":\"keys\"}", said());
        type("\u0010\u0011never");
        assertEquals(new AttachedTerminal.End(true, 0), end.get(20, TimeUnit.SECONDS));
        assertTrue(gateway.said.isEmpty());
    }

    @Test
    void shouldSayWhyThePersonStaysWhereLeavingWouldEndTheSession() throws Exception {
        CompletableFuture<AttachedTerminal.End> end = attach("captain", "no gateway runs");
        size();
        type("\u0010\u0011");
        assertEquals("no gateway runs", window.said.poll(20, TimeUnit.SECONDS));
        type("ls");
        assertEquals("{\"data\":\"ls\",\"type\":\"keys\"}", said());
        over(5);
        assertEquals(new AttachedTerminal.End(false, 5), end.get(20, TimeUnit.SECONDS));
    }

    @Test
    void shouldSendAKeyOfTheDetachKeysThatStaysAlone() throws Exception {
        CompletableFuture<AttachedTerminal.End> end = attach("captain");
        size();
        type("\u0010");
        assertEquals("{\"data\":\"\\u0010\",\"type\":\"keys\"}", said());
        over(0);
        end.get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldLeaveWhenThePersonsTerminalIsGone() throws Exception {
        CompletableFuture<AttachedTerminal.End> end = attach("captain");
        keys.close();
        assertEquals(new AttachedTerminal.End(true, 0), end.get(20, TimeUnit.SECONDS));
    }

    @Test
    void shouldTellTheSizeOfTheWindow() throws Exception {
        CompletableFuture<AttachedTerminal.End> end = attach("captain");
        size();
        window.resize(30, 8);
        assertEquals("{\"cols\":30,\"rows\":8,\"type\":\"resize\"}", said());
        chunk("x");
        assertTrue(String.valueOf(window.said.poll(20, TimeUnit.SECONDS))
                .contains("the agent's terminal is 20x6, this one 30x8"));
        over(0);
        end.get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldSendNothingOfAWatcherAndSaySo() throws Exception {
        CompletableFuture<AttachedTerminal.End> end = attach("watcher");
        size();
        type("x");
        assertEquals("you only watch this session: keys are not sent", window.said.poll(20, TimeUnit.SECONDS));
        type("\u0010\u0011");
        assertTrue(end.get(20, TimeUnit.SECONDS).detached());
        assertTrue(gateway.said.isEmpty());
    }

    @Test
    void shouldGoOnWhereItWasOnceTheGatewayIsBack() throws Exception {
        CompletableFuture<AttachedTerminal.End> end = attach("captain");
        size();
        chunk("one ");
        awaitScreen("one ");
        window.spoil();
        gateway.answer("{\"code\":\"SHUTTING_DOWN\",\"error\":\"nobody listens\"}");
        gateway.cut();
        String again = "{\"action\":\"attach\",\"from\":3,\"id\":\"spn_1\"}";
        assertEquals(again, said());
        assertTrue(String.valueOf(window.said.poll(20, TimeUnit.SECONDS)).contains("lost"));
        gateway.answer(WELCOME.formatted("captain"));
        assertEquals(again, said());
        assertEquals(SIZE, said());
        chunk("two");
        awaitScreen("one two");
        over(0);
        assertFalse(end.get(20, TimeUnit.SECONDS).detached());
    }

    @Test
    void shouldLetThePersonLeaveWhileItWaits() throws Exception {
        CompletableFuture<AttachedTerminal.End> end = attach("captain");
        gateway.answer("{\"code\":\"SHUTTING_DOWN\",\"error\":\"nobody listens\"}");
        gateway.cut();
        said();
        type("\u0003");
        gateway.answer("{\"code\":\"SHUTTING_DOWN\",\"error\":\"nobody listens\"}");
        assertTrue(end.get(20, TimeUnit.SECONDS).detached());
    }

    @Test
    void shouldEndWithTheRefusalOfASessionThatIsGone() throws Exception {
        CompletableFuture<AttachedTerminal.End> end = attach("captain");
        gateway.answer("{\"code\":\"NOT_FOUND\",\"error\":\"there is no session spn_1\"}");
        gateway.cut();
        ExecutionException refused = assertThrows(ExecutionException.class, () -> end.get(20, TimeUnit.SECONDS));
        assertTrue(refused.getCause() instanceof BrigException, refused::toString);
    }

    @Test
    void shouldDrawTheNextCheckpointAfterAGap() throws Exception {
        CompletableFuture<AttachedTerminal.End> end = attach("captain");
        size();
        chunk("one");
        gateway.frame("{\"type\":\"gap\",\"from\":3,\"to\":9,\"reason\":\"evicted\"}", true);
        seq = 9;
        chunk("torn");
        assertTrue(String.valueOf(window.said.poll(20, TimeUnit.SECONDS)).contains("evicted"));
        checkpoint("whole", false);
        awaitScreen("whole");
        over(0);
        end.get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldBeginAnewWithAStreamThatDid() throws Exception {
        CompletableFuture<AttachedTerminal.End> end = attach("captain");
        size();
        chunk("old");
        gateway.frame("{\"type\":\"gap\",\"from\":3,\"to\":3,\"reason\":\"epoch_changed\",\"epoch\":\"5x\"}", true);
        seq = 0;
        size();
        chunk("new");
        awaitScreen("new");
        over(0);
        end.get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldSayWhatIsRefusedAndWhatIsAsked() throws Exception {
        CompletableFuture<AttachedTerminal.End> end = attach("captain");
        size();
        gateway.frame("{\"type\":\"error\",\"error\":\"ci has control\",\"code\":\"CONTROL_HELD\"}", true);
        assertEquals("ci has control (CONTROL_HELD)", window.said.poll(20, TimeUnit.SECONDS));
        over(0);
        end.get(20, TimeUnit.SECONDS);
    }
}
