package brig.gateway.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.gateway.spawn.Granted;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.SpawnBench;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Fields;
import brig.protocol.Ids;
import brig.protocol.Json;
import brig.protocol.StreamPosition;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SessionTest {
    private final SpawnBench bench = new SpawnBench();
    private final List<String> terminated = new ArrayList<>();
    private final Sessions sessions = new Sessions(bench.spawns(), (spawn, reason) -> {
        terminated.add(spawn.taskId() + " " + reason);
        return CompletableFuture.completedFuture(null);
    });
    private final Granted granted = bench.start("fix");
    private final Spawn spawn = bench.spawn(granted);
    private final Session session = sessions.find("fix");

    private static Fields message(String json) {
        return new Fields(Json.parseObject(json.getBytes(StandardCharsets.UTF_8)));
    }

    private ErrorCode refusal(Role role, String json) {
        return assertThrows(BrigException.class, () -> session.handleMessage(role, message(json))).code();
    }

    private void frame(long seq, String rest) {
        bench.say(spawn, "{\"type\":\"state\",\"seq\":" + seq + ",\"ts\":1," + rest + "}\n");
    }

    @Test
    void shouldKnowTheRoleByTheToken() {
        assertEquals(Role.CAPTAIN, session.authenticate(granted.captainToken()));
        assertEquals(Role.WATCHER, session.authenticate(granted.watcherToken()));
    }

    @Test
    void shouldRefuseEveryOtherToken() {
        Granted other = bench.start("other");
        String own = granted.captainToken();
        List<String> wrong = List.of("", "brig_", other.captainToken(), other.watcherToken(), Ids.newToken(),
                own.substring(0, own.length() - 1), own + "A", own + "\n", own.toUpperCase(java.util.Locale.ROOT),
                Ids.hashToken(own), "\0", "é".repeat(100_000));
        for (String token : wrong) {
            BrigException refusal = assertThrows(BrigException.class, () -> session.authenticate(token));
            assertEquals(ErrorCode.UNAUTHENTICATED, refusal.code());
        }
    }

    @Test
    void shouldBeFoundByEitherNameAndNoOther() {
        assertEquals(spawn, sessions.find(spawn.spawnId()).spawn());
        assertEquals(ErrorCode.NOT_FOUND, assertThrows(BrigException.class, () -> sessions.find("fix2")).code());
        assertEquals(ErrorCode.NOT_FOUND, assertThrows(BrigException.class, () -> sessions.find("")).code());
    }

    @Test
    void shouldHandOnWhatACaptainSays() {
        assertNull(session.handleMessage(Role.CAPTAIN, message("{\"role\":\"user\",\"content\":\"Hi\\nthere\"}")));
        assertNull(session.handleMessage(Role.CAPTAIN, message("{\"action\":\"cancel\"}")));
        assertNull(session.handleMessage(Role.CAPTAIN, message("{\"action\":\"terminate\"}")));
        assertEquals(List.of("input Hi\nthere", "cancel"), bench.said(spawn));
        assertEquals(List.of("fix requested"), terminated);
    }

    @Test
    void shouldIgnoreFieldsThatItDoesNotKnow() {
        session.handleMessage(Role.CAPTAIN, message("{\"role\":\"user\",\"content\":\"Hi\",\"id\":7,\"action\":null}"));
        session.handleMessage(Role.CAPTAIN, message("{\"action\":\"cancel\",\"why\":\"later\"}"));
        assertEquals(List.of("input Hi", "cancel"), bench.said(spawn));
    }

    @Test
    void shouldAnswerAPingOfEveryRole() {
        for (Role role : Role.values()) {
            assertEquals(Map.of("type", "pong"), session.handleMessage(role, message("{\"action\":\"ping\"}")));
        }
    }

    @Test
    void shouldRefuseAWatcherEverythingElse() {
        for (String json : List.of("{\"role\":\"user\",\"content\":\"Hi\"}", "{\"action\":\"cancel\"}",
                "{\"action\":\"terminate\"}", "{\"action\":\"dance\"}", "{}")) {
            assertEquals(ErrorCode.FORBIDDEN, refusal(Role.WATCHER, json), json);
        }
        assertEquals(List.of(), bench.said(spawn));
        assertEquals(List.of(), terminated);
    }

    @Test
    void shouldSayWhatIsWrongWithACaptainsMessage() {
        Map<String, ErrorCode> expected = Map.of(
                "{}", ErrorCode.INVALID_FIELD,
                "{\"role\":\"system\",\"content\":\"Hi\"}", ErrorCode.INVALID_FIELD,
                "{\"role\":\"user\"}", ErrorCode.INVALID_FIELD,
                "{\"role\":\"user\",\"content\":\"\"}", ErrorCode.INVALID_FIELD,
                "{\"role\":\"user\",\"content\":7}", ErrorCode.INVALID_FIELD,
                "{\"role\":7,\"content\":\"Hi\"}", ErrorCode.INVALID_FIELD,
                "{\"action\":7}", ErrorCode.INVALID_FIELD,
                "{\"action\":\"dance\"}", ErrorCode.UNKNOWN_ACTION,
                "{\"action\":\"\"}", ErrorCode.UNKNOWN_ACTION);
        expected.forEach((json, code) -> assertEquals(code, refusal(Role.CAPTAIN, json), json));
        assertEquals(List.of(), bench.said(spawn));
    }

    @Test
    void shouldRefuseMessagesWhenTheSessionHasEnded() {
        frame(1, "\"state\":\"terminated\"");
        assertEquals(ErrorCode.SESSION_ENDED, refusal(Role.CAPTAIN, "{\"role\":\"user\",\"content\":\"Hi\"}"));
        assertEquals(ErrorCode.SESSION_ENDED, refusal(Role.CAPTAIN, "{\"action\":\"cancel\"}"));
        session.requireAttachable();
    }

    @Test
    void shouldRefuseReadersUntilThereIsSomethingToRead() {
        var _ = bench.ask("slow");
        Session slow = sessions.find("slow");
        BrigException refusal = assertThrows(BrigException.class, slow::requireAttachable);
        assertEquals(ErrorCode.SESSION_NOT_READY, refusal.code());
        assertEquals(5, refusal.retryAfterSeconds().orElseThrow());
        session.requireAttachable();
    }

    @Test
    void shouldResumeBehindThePositionOfThisEpochAndAtTheBeginningOtherwise() {
        frame(1, "\"state\":\"running\"");
        frame(2, "\"state\":\"throttled\"");
        frame(3, "\"state\":\"running\"");
        String epoch = spawn.log().epoch();
        assertEquals(1, session.resumePoint(Optional.empty()));
        assertEquals(1, session.resumePoint(Optional.of(new StreamPosition(epoch, 0))));
        assertEquals(3, session.resumePoint(Optional.of(new StreamPosition(epoch, 2))));
        assertEquals(4, session.resumePoint(Optional.of(new StreamPosition(epoch, 3))));
        assertEquals(4, session.resumePoint(Optional.of(new StreamPosition(epoch, 4711))), "a future position");
        String foreign = epoch.equals("00000000") ? "11111111" : "00000000";
        assertEquals(1, session.resumePoint(Optional.of(new StreamPosition(foreign, 2))));
    }

    @Test
    void shouldWelcomeWithTheWordsOfTheProtocol() {
        Map<String, Object> welcome = session.welcome(Role.WATCHER, 7);
        assertEquals(List.of("type", "spawn_id", "task_id", "role", "epoch", "from", "state"),
                List.copyOf(welcome.keySet()));
        assertEquals(Map.of("type", "authenticated", "spawn_id", spawn.spawnId(), "task_id", "fix", "role", "watcher",
                "epoch", spawn.log().epoch(), "from", 7L, "state", "running"), welcome);
    }

    @Test
    void shouldListTheNewestFirstAndTheLiveOnesAlone() {
        bench.start("second");
        frame(1, "\"state\":\"terminated\"");
        assertEquals(2, sessions.views().size());
        assertEquals(List.of("second"), sessions.liveViews().stream().map(view -> view.get("task_id")).toList());
    }
}
