package brig.gateway.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.gateway.auth.Access;
import brig.gateway.spawn.GrantedSpawn;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.SpawnBench;
import brig.gateway.time.FakeTime;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Role;
import brig.protocol.api.AskChange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What agents ask, over all sessions: who is told, and what. */
class SessionsAsksTest {
    private final SpawnBench bench = new SpawnBench();
    private final Sessions sessions = new Sessions(
            bench.spawns(),
            (spawn, reason, by) -> CompletableFuture.completedFuture(null),
            bench.workers()::answer,
            new FakeTime());
    private final GrantedSpawn granted = bench.start("fix");
    private final Spawn fix = bench.spawn(granted);
    private final Spawn other = bench.spawn(bench.start("other"));
    private final Map<Spawn, Integer> frames = new HashMap<>();
    private final Access admin = new Access("root", Role.ADMIN, null, null, null);

    private void frame(Spawn spawn, String fields) {
        int seq = frames.merge(spawn, 1, Integer::sum);
        bench.say(spawn, "{\"seq\":" + seq + ",\"ts\":1," + fields.replace('\'', '"') + "}\n");
    }

    private static String id(int number) {
        return "ask_" + "0".repeat(23) + number;
    }

    private void ask(Spawn spawn, int number, long deadline) {
        frame(
                spawn,
                "'type':'ask','ask_id':'" + id(number) + "','kind':'tool','title':'Bash',"
                        + "'options':[{'id':'allow','name':'Allow'}],'deadline':" + deadline + ",'default':'allow'");
    }

    private void answered(Spawn spawn, int number) {
        frame(spawn, "'type':'answered','ask_id':'" + id(number) + "','option':'allow','reason':'person'");
    }

    /** {@code fix asks 1}, {@code answered 1 PERSON}. */
    private List<String> follow(Access access, @Nullable String only) {
        List<String> told = new ArrayList<>();
        Followed<AskChange> followed = sessions.followAsks(access, only);
        var _ = followed.begin(() -> {
            for (AskChange change = followed.next(); change != null; change = followed.next()) {
                told.add(
                        switch (change) {
                            case AskChange.Asks _ -> "asks";
                            case AskChange.Ask ask ->
                                ask.ask().taskId() + " asks "
                                        + ask.ask().ask().askId().charAt(27);
                            case AskChange.Answered answered ->
                                "answered " + answered.answered().askId().charAt(27) + " "
                                        + answered.answered().reason();
                        });
            }
        });
        assertEquals("asks", Objects.requireNonNull(followed.next()).type());
        return told;
    }

    private List<String> list(Access access, @Nullable String only) {
        return sessions.asks(access, only).asks().stream()
                .map(view -> view.taskId() + " " + view.ask().askId().charAt(27))
                .toList();
    }

    @Test
    void shouldTellEachAskAndItsEndInTheTurnInWhichItsFrameCame() {
        List<String> told = follow(admin, null);
        ask(fix, 1, 30);
        assertEquals(List.of("fix asks 1"), told);
        ask(other, 2, 20);
        assertEquals(List.of("other 2", "fix 1"), list(admin, null));
        answered(fix, 1);
        answered(fix, 1);
        answered(fix, 3);
        assertEquals(List.of("fix asks 1", "other asks 2", "answered 1 PERSON"), told);
        assertEquals(List.of("other 2"), list(admin, null));
    }

    @Test
    void shouldTellOnlyWhoMayReadTheSession() {
        Access captain = new Access(fix.captain(), Role.CAPTAIN, null, null, null);
        Access stranger = new Access("mallory", Role.CAPTAIN, null, null, null);
        Access bound = new Access("eve", Role.WATCHER, other.spawnId(), null, null);
        Access own = new Access("token", null, null, granted.watcherToken(), null);
        List<List<String>> told = List.of(
                follow(captain, null),
                follow(stranger, null),
                follow(bound, null),
                follow(own, null),
                follow(Access.nobody(), null));
        ask(fix, 1, 10);
        assertEquals(List.of(List.of("fix asks 1"), List.of(), List.of(), List.of("fix asks 1"), List.of()), told);
        assertEquals(List.of(), list(stranger, null));
        ask(other, 2, 10);
        assertEquals(List.of("other asks 2"), told.get(2));
        assertEquals(List.of("fix asks 1"), told.get(3));
    }

    @Test
    void shouldTellOfOneSessionAloneWhenAskedTo() {
        List<String> told = follow(admin, "other");
        ask(fix, 1, 10);
        ask(other, 2, 10);
        assertEquals(List.of("other asks 2"), told);
        assertEquals(List.of("fix 1"), list(admin, "fix"));
        Access stranger = new Access("mallory", Role.CAPTAIN, null, null, null);
        assertEquals(
                ErrorCode.UNAUTHENTICATED,
                assertThrows(BrigException.class, () -> sessions.asks(stranger, "fix"))
                        .code());
        assertEquals(
                ErrorCode.NOT_FOUND,
                assertThrows(BrigException.class, () -> sessions.asks(admin, "nope"))
                        .code());
    }

    @Test
    void shouldSettleAllWhenTheSessionEndsWithoutAnswers() {
        List<String> told = follow(admin, null);
        ask(fix, 1, 10);
        frame(fix, "'type':'state','state':'terminated','reason':'requested'");
        assertEquals(List.of("fix asks 1", "answered 1 ENDED"), told);
        assertEquals(List.of(), list(admin, null));
    }
}
