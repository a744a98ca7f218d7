package brig.gateway.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.auth.Access;
import brig.gateway.spawn.GrantedSpawn;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.SpawnBench;
import brig.gateway.time.FakeTime;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Role;
import brig.protocol.StreamPosition;
import brig.protocol.api.SessionStatus;
import brig.protocol.api.SpawnActivity;
import brig.protocol.control.AnswerChoice;
import brig.protocol.frame.CaptainLine;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SessionTest {
    private final FakeTime time = new FakeTime();
    private final SpawnBench bench = new SpawnBench();
    private final List<String> terminated = new ArrayList<>();
    private final Sessions sessions = new Sessions(
            bench.spawns(),
            (spawn, reason, by) -> {
                terminated.add(spawn.taskId() + " " + reason);
                return CompletableFuture.completedFuture(null);
            },
            bench.workers()::answer,
            time);
    private final GrantedSpawn granted = bench.start("fix");
    private final Spawn spawn = bench.spawn(granted);
    private final Session session = sessions.find("fix");

    private static CaptainLine.Order message(String json) {
        return CaptainLine.order(JsonObject.read(json.getBytes(StandardCharsets.UTF_8)));
    }

    private static Access as(Role role) {
        return new Access("me", role, null, null, null);
    }

    private @Nullable ConnectionLine say(Role role, String json) {
        CaptainLine.Order order = session.read(as(role), JsonObject.read(json.getBytes(StandardCharsets.UTF_8)));
        CompletionStage<? extends ConnectionLine> told = session.handleOrder(as(role), order, false, "socket");
        return told == null ? null : told.toCompletableFuture().join();
    }

    private static void ask(SpawnBench bench, Spawn asking, String askId) {
        bench.say(
                asking,
                "{\"type\":\"ask\",\"seq\":1,\"ts\":1,\"ask_id\":\"" + askId
                        + "\",\"kind\":\"tool\",\"title\":\"Bash\","
                        + "\"options\":[{\"id\":\"allow\",\"name\":\"Allow\"}],\"deadline\":2,\"default\":\"allow\"}\n");
    }

    private static String answer(String askId, String rest) {
        return "{\"action\":\"answer_ask\",\"ask_id\":\"" + askId + "\"" + rest + "}";
    }

    private ErrorCode refusal(Role role, String json) {
        return assertThrows(BrigException.class, () -> say(role, json)).code();
    }

    private Access access(String token) {
        return new Access("token", null, null, token, "tok_1").in(spawn);
    }

    private void frame(long seq, String rest) {
        bench.say(spawn, "{\"type\":\"state\",\"seq\":" + seq + ",\"ts\":1," + rest + "}\n");
    }

    @Test
    void shouldKnowTheRoleAndTheCaptainByTheToken() {
        assertEquals(Role.CAPTAIN, access(granted.captainToken()).role());
        assertEquals(Role.WATCHER, access(granted.watcherToken()).role());
        assertEquals(spawn.captain(), access(granted.captainToken()).captain());
    }

    @Test
    void shouldRefuseEveryOtherToken() {
        GrantedSpawn other = bench.start("other");
        String own = granted.captainToken();
        List<String> wrong = List.of(
                "",
                "brig_",
                other.captainToken(),
                other.watcherToken(),
                Ids.newToken(),
                own.substring(0, own.length() - 1),
                own + "A",
                own + "\n",
                own.toUpperCase(java.util.Locale.ROOT),
                Ids.hashToken(own),
                "\0",
                "é".repeat(100_000));
        for (String token : wrong) {
            assertEquals(
                    ErrorCode.UNAUTHENTICATED,
                    assertThrows(BrigException.class, () -> access(token)).code());
        }
        assertEquals(
                ErrorCode.ATTACH_AUTH_MISSING,
                assertThrows(BrigException.class, () -> Access.nobody().in(spawn))
                        .code());
    }

    @Test
    void shouldReachAsFarAsTheAccessGoesAndNoFurther() {
        bench.start("other");
        Spawn other = sessions.find("other").spawn();
        String id = spawn.spawnId();
        assertEquals(
                Role.CAPTAIN,
                new Access("admin", Role.ADMIN, null, null, null).in(spawn).role());
        assertEquals(
                Role.CAPTAIN,
                new Access(spawn.captain(), Role.CAPTAIN, null, null, null)
                        .in(spawn)
                        .role());
        assertEquals(
                Role.CAPTAIN,
                new Access("else", Role.CAPTAIN, id, null, null).in(spawn).role());
        assertEquals(
                Role.WATCHER,
                new Access("else", Role.WATCHER, null, null, null).in(spawn).role());
        for (Access tooShort : List.of(
                new Access("else", Role.CAPTAIN, null, null, null),
                new Access(spawn.captain(), Role.CAPTAIN, other.spawnId(), null, null),
                new Access("else", Role.WATCHER, other.spawnId(), null, null))) {
            assertEquals(
                    ErrorCode.UNAUTHENTICATED,
                    assertThrows(BrigException.class, () -> tooShort.in(spawn)).code());
        }
    }

    @Test
    void shouldLetOneCaptainSpeakAtATimeAndAnotherTakeControl() {
        Access alice = new Access("alice", Role.CAPTAIN, spawn.spawnId(), null, null);
        Access bob = new Access("bob", Role.CAPTAIN, spawn.spawnId(), null, null);
        CaptainLine.Order hello = message("{\"role\":\"user\",\"content\":\"Hi\"}");
        session.handleOrder(bob, hello, false, "socket");
        Runnable gone = session.join(alice, null);
        session.join(bob, null);
        session.handleOrder(alice, hello, false, "socket");
        assertEquals(
                ErrorCode.CONTROL_HELD,
                assertThrows(BrigException.class, () -> session.handleOrder(bob, hello, false, "socket"))
                        .code());
        session.handleOrder(alice, message("{\"action\":\"cancel\"}"), false, "socket");
        session.handleOrder(bob, message("{\"action\":\"take_control\"}"), false, "socket");
        session.handleOrder(bob, hello, false, "socket");
        assertEquals(
                ErrorCode.CONTROL_HELD,
                assertThrows(
                                BrigException.class,
                                () -> session.handleOrder(alice, message("{\"action\":\"cancel\"}"), false, "socket"))
                        .code());
        session.handleOrder(alice, hello, true, "socket");
        gone.run();
        session.handleOrder(bob, hello, false, "socket");
        assertEquals(
                Stream.of("bob", "alice", "", "bob", "alice", "bob")
                        .map(who -> who.isEmpty() ? "cancel" : "input Hi by " + who + " via socket")
                        .toList(),
                bench.said(spawn));
    }

    @Test
    void shouldBeFoundByEitherNameAndNoOther() {
        assertEquals(spawn, sessions.find(spawn.spawnId()).spawn());
        assertEquals(
                ErrorCode.NOT_FOUND,
                assertThrows(BrigException.class, () -> sessions.find("fix2")).code());
        assertEquals(
                ErrorCode.NOT_FOUND,
                assertThrows(BrigException.class, () -> sessions.find("")).code());
    }

    @Test
    void shouldHandOnWhatACaptainSays() {
        assertNull(say(Role.CAPTAIN, "{\"role\":\"user\",\"content\":\"Hi\\nthere\"}"));
        assertNull(say(Role.CAPTAIN, "{\"action\":\"cancel\"}"));
        assertNull(say(Role.CAPTAIN, "{\"action\":\"terminate\"}"));
        assertEquals(List.of("input Hi\nthere by me via socket", "cancel"), bench.said(spawn));
        assertEquals(List.of("fix requested"), terminated);
    }

    @Test
    void shouldSayWhatTheSessionDoesAsItsFramesTell() {
        List<String> does = new ArrayList<>();
        for (String rest : List.of(
                "\"type\":\"state\",\"state\":\"running\"",
                "\"type\":\"message\",\"message_id\":\"brig.1\",\"content\":\"Hi\"",
                "\"type\":\"ask\",\"ask_id\":\"a\",\"kind\":\"egress\",\"title\":\"t\",\"options\":[],\"deadline\":5,\"default\":\"deny\"",
                "\"type\":\"answered\",\"ask_id\":\"a\",\"option\":\"once\",\"reason\":\"person\"",
                "\"type\":\"done\",\"exit_code\":1",
                "\"type\":\"message\",\"message_id\":\"brig.2\",\"content\":\"Hi\"",
                "\"type\":\"done\",\"exit_code\":0",
                "\"type\":\"state\",\"state\":\"terminated\",\"reason\":\"requested\"")) {
            bench.say(spawn, "{\"seq\":" + (does.size() + 1) + ",\"ts\":1," + rest + "}\n");
            does.add(session.view().activity().wireName());
        }
        assertEquals(List.of("idle", "working", "waiting", "working", "failed", "working", "idle", "ended"), does);
    }

    @Test
    void shouldHandOnTheNameOfAMessageAndRefuseUnderIt() {
        say(Role.CAPTAIN, "{\"role\":\"user\",\"content\":\"Hi\",\"message_id\":\"m-1\"}");
        assertEquals(List.of("input Hi as m-1 by me via socket"), bench.said(spawn));
        assertEquals(
                ErrorCode.INVALID_FIELD,
                assertThrows(
                                BrigException.class,
                                () -> say(
                                        Role.CAPTAIN,
                                        "{\"role\":\"user\",\"content\":\"Hi\",\"message_id\":\"no id\"}"))
                        .code());
        session.join(new Access("alice", Role.CAPTAIN, spawn.spawnId(), null, null), null);
        session.handleOrder(
                new Access("alice", Role.CAPTAIN, spawn.spawnId(), null, null),
                message("{\"role\":\"user\",\"content\":\"Hi\"}"),
                false,
                "socket");
        Access bob = new Access("bob", Role.CAPTAIN, spawn.spawnId(), null, null);
        session.join(bob, null);
        CaptainLine.Order named = message("{\"role\":\"user\",\"content\":\"Hi\",\"message_id\":\"m-2\"}");
        assertEquals(
                "m-2",
                assertThrows(BrigException.class, () -> session.handleOrder(bob, named, false, "socket"))
                        .hints()
                        .messageId());
    }

    @Test
    void shouldIgnoreFieldsThatItDoesNotKnow() {
        say(Role.CAPTAIN, "{\"role\":\"user\",\"content\":\"Hi\",\"id\":7,\"action\":null}");
        say(Role.CAPTAIN, "{\"action\":\"cancel\",\"why\":\"later\"}");
        assertEquals(List.of("input Hi by me via socket", "cancel"), bench.said(spawn));
    }

    @Test
    void shouldAnswerAPingOfEveryRole() {
        for (Role role : Role.values()) {
            assertEquals(new ConnectionLine.Pong(), say(role, "{\"action\":\"ping\"}"));
        }
    }

    @Test
    void shouldHandOnAnAnswerOfACaptainOrApproverAndOfNobodyElse() {
        String askId = Ids.newAskId(1);
        ask(bench, spawn, askId);
        String allow = answer(askId, ",\"option\":\"allow\"");
        assertEquals(new ConnectionLine.Answer(askId, "allow", null), say(Role.CAPTAIN, allow));
        assertEquals(
                "answer " + askId + " allow by me via socket", bench.story().getLast());
        assertEquals(new ConnectionLine.Answer(askId, "allow", null), say(Role.APPROVER, allow));
        assertEquals(ErrorCode.FORBIDDEN, refusal(Role.WATCHER, allow));
        assertEquals(ErrorCode.FORBIDDEN, refusal(Role.WATCHER, answer("x", "")));
    }

    @Test
    void shouldRefuseABadAnswer() {
        String askId = Ids.newAskId(1);
        ask(bench, spawn, askId);
        int told = bench.story().size();
        String tooLong = "x".repeat(AnswerChoice.TEXT_BYTES_MAX + 1);
        for (String bad : List.of(
                answer(askId, ""),
                answer(askId, ",\"option\":\"allow\",\"text\":\"yes\""),
                answer(askId, ",\"option\":1"),
                answer(askId, ",\"text\":\"" + tooLong + "\""),
                answer("ask_1", ",\"option\":\"allow\""),
                "{\"action\":\"answer_ask\",\"option\":\"allow\"}")) {
            assertEquals(ErrorCode.INVALID_FIELD, refusal(Role.CAPTAIN, bad), bad);
        }
        assertEquals(ErrorCode.NOT_FOUND, refusal(Role.CAPTAIN, answer(Ids.newAskId(2), ",\"option\":\"allow\"")));
        assertEquals(told, bench.story().size());
    }

    /** A connection opens one session, although its captain has others. */
    @Test
    void shouldNotAnswerForASessionThatTheConnectionDoesNotOpen() {
        Spawn other = bench.spawn(bench.start("other"));
        String askId = Ids.newAskId(1);
        ask(bench, other, askId);
        assertEquals(ErrorCode.NOT_FOUND, refusal(Role.CAPTAIN, answer(askId, ",\"option\":\"allow\"")));
    }

    @Test
    void shouldRefuseAWatcherEverythingElse() {
        for (String json : List.of(
                "{\"role\":\"user\",\"content\":\"Hi\"}",
                "{\"action\":\"cancel\"}",
                "{\"action\":\"terminate\"}",
                "{\"action\":\"dance\"}",
                "{}")) {
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
                "{\"action\":\"\"}", ErrorCode.INVALID_FIELD);
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
        assertEquals(
                "{\"type\":\"authenticated\",\"spawn_id\":\"" + spawn.spawnId()
                        + "\",\"task_id\":\"fix\",\"role\":\"watcher\",\"epoch\":\""
                        + spawn.log().epoch() + "\",\"from\":7,\"state\":\"running\"}",
                new String(Json.write(session.welcome(Role.WATCHER, 7)), StandardCharsets.UTF_8));
    }

    @Test
    void shouldSayOfEachWhetherItCanBeTalkedTo() {
        bench.start("second");
        frame(1, "\"state\":\"terminated\"");
        Map<String, SessionStatus> shown = new HashMap<>();
        sessions.all()
                .forEach(one -> shown.put(one.taskId(), sessions.of(one).view().status()));
        assertEquals(Map.of("second", SessionStatus.ACTIVE, "fix", SessionStatus.INACTIVE), shown);
    }

    /** A session that ran and ended. */
    private Spawn ended(String taskId) {
        Spawn over = bench.spawn(bench.start(taskId));
        bench.say(over, """
                {"type":"state","seq":1,"ts":1,"state":"running"}
                {"type":"state","seq":2,"ts":1,"state":"terminated"}
                """);
        return over;
    }

    private void readTree(Spawn of) {
        CompletableFuture<?> read = sessions.of(of).tree().toCompletableFuture();
        bench.say(spawn, "");
        assertTrue(read.isDone());
    }

    private static boolean isInMemory(Spawn of) {
        return of.tree().read().toCompletableFuture().isDone();
    }

    @Test
    void shouldKeepTheTreesOfEndedSessionsThatWereReadLast() {
        List<Spawn> read = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            Spawn over = ended("over" + i);
            readTree(over);
            read.add(over);
        }
        readTree(read.getFirst());

        Spawn another = ended("another");
        readTree(another);

        assertTrue(isInMemory(another), "a tree that was just read");
        assertTrue(isInMemory(read.getFirst()), "one that was read again");
        assertFalse(isInMemory(read.get(1)), "the one that was not read for longest");
        assertTrue(isInMemory(read.get(2)));
    }

    private static void atTerminal(Session at, String captain, Object connection, String json) {
        Access access = new Access(captain, Role.CAPTAIN, null, null, null);
        CaptainLine.Order order = at.read(access, JsonObject.read(json.getBytes(StandardCharsets.UTF_8)));
        at.handleTerminal(access, (CaptainLine.AtTerminal) order, connection);
    }

    @Test
    void shouldPassKeysOnWithTheSizeOfWhoTypes() {
        bench.ask(SpawnBench.onTerminal("tui"));
        Spawn tui = bench.spawns().find("tui").orElseThrow();
        bench.started(tui.spawnId());
        Session at = sessions.find("tui");
        Runnable leave = at.join(new Access("me", Role.CAPTAIN, null, null, null), null);
        atTerminal(at, "me", "one", "{\"type\":\"resize\",\"cols\":80,\"rows\":24}");
        atTerminal(at, "me", "other", "{\"type\":\"resize\",\"cols\":100,\"rows\":30}");
        atTerminal(at, "me", "one", "{\"type\":\"keys\",\"data\":\"a\"}");
        ErrorCode held = assertThrows(
                        BrigException.class,
                        () -> atTerminal(at, "another", "third", "{\"type\":\"keys\",\"data\":\"b\"}"))
                .code();
        assertEquals(ErrorCode.CONTROL_HELD, held);
        at.leaveTerminal("one");
        leave.run();
        assertEquals(
                List.of("resize 80x24", "resize 100x30", "resize 80x24", "keys a", "resize 100x30"), bench.said(tui));
        assertEquals(SpawnActivity.WORKING, tui.doing());
        assertTrue(tui.view().tty());
    }

    @Test
    void shouldRefuseWhatDoesNotFitTheSession() {
        bench.ask(SpawnBench.onTerminal("tui"));
        Spawn tui = bench.spawns().find("tui").orElseThrow();
        bench.started(tui.spawnId());
        Session at = sessions.find("tui");
        for (String line : List.of("{\"role\":\"user\",\"content\":\"Hi\"}", "{\"action\":\"cancel\"}")) {
            CaptainLine.Order order = message(line);
            BrigException refusal =
                    assertThrows(BrigException.class, () -> at.handleOrder(as(Role.CAPTAIN), order, false, "socket"));
            assertEquals(ErrorCode.INPUT_NOT_ACCEPTED, refusal.code());
            assertTrue(refusal.getMessage().contains("send keys"));
        }
        String keys = "{\"type\":\"keys\",\"data\":\"a\"}";
        assertEquals(ErrorCode.FORBIDDEN, refusal(Role.WATCHER, keys));
        assertEquals(ErrorCode.FORBIDDEN, refusal(Role.APPROVER, keys));
        BrigException none = assertThrows(BrigException.class, () -> atTerminal(session, "me", "one", keys));
        assertEquals(ErrorCode.INPUT_NOT_ACCEPTED, none.code());
        assertEquals(List.of(), bench.said(tui));
    }
}
