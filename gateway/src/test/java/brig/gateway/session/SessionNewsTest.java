package brig.gateway.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.auth.Access;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.SpawnBench;
import brig.gateway.stream.RecordingSink;
import brig.gateway.time.FakeTime;
import brig.protocol.Role;
import brig.protocol.api.SessionChange;
import brig.protocol.api.SpawnView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a client that follows sessions is told, and when. */
class SessionNewsTest {
    private final SpawnBench bench = new SpawnBench();
    private final FakeTime time = new FakeTime();
    private final Sessions sessions = new Sessions(
            bench.spawns(),
            (spawn, reason, by) -> CompletableFuture.completedFuture(null),
            bench.workers()::answer,
            time);
    private final Access admin = new Access("root", Role.ADMIN, null, null, null);
    private final Map<Spawn, Integer> frames = new HashMap<>();

    /** A client, and what it was told. */
    private final class Client {
        final Followed<SessionChange> followed;
        final List<String> told = new ArrayList<>();
        final Runnable end;
        boolean reads = true;

        Client(Access access, int ended) {
            followed = sessions.followSessions(access, ended);
            end = followed.begin(this::read);
            read();
        }

        void read() {
            for (SessionChange next = reads ? followed.next() : null; next != null; next = followed.next()) {
                told.add(
                        switch (next) {
                            case SessionChange.Sessions all ->
                                names("all", all.sessions()) + (all.more() ? " and more" : "");
                            case SessionChange.SessionsChanged some ->
                                names("changed", some.sessions())
                                        + (some.removed().isEmpty()
                                                ? ""
                                                : " removed " + some.removed().size());
                        });
            }
        }

        List<String> taken() {
            List<String> taken = List.copyOf(told);
            told.clear();
            return taken;
        }

        private static String names(String word, List<SpawnView> views) {
            Stream<String> shown = views.stream()
                    .map(view -> view.taskId() + ":" + view.activity().wireName() + (view.asks() == 0 ? "" : "?"))
                    .sorted();
            return views.size() > 2
                    ? word + " " + views.size()
                    : String.join(" ", Stream.concat(Stream.of(word), shown).toList());
        }
    }

    private Spawn start(String name) {
        return bench.spawn(bench.start(name));
    }

    private void frame(Spawn spawn, String fields) {
        int seq = frames.merge(spawn, 1, Integer::sum);
        bench.say(spawn, "{\"seq\":" + seq + ",\"ts\":1," + fields.replace('\'', '"') + "}\n");
    }

    private void finish(Spawn spawn) {
        frame(spawn, "'type':'state','state':'terminated','reason':'requested'");
    }

    private void tick() {
        time.pass(SessionNews.PAUSE_MS);
    }

    @Test
    void shouldTellWhatThereIsAndThenWhatIsOther() {
        Spawn fix = start("fix");
        Client client = new Client(admin, 0);
        assertEquals(List.of("all fix:idle"), client.taken());
        frame(fix, "'type':'message','content':'go','message_id':'m1'");
        start("other");
        time.pass(SessionNews.GATHER_MS);
        assertEquals(List.of("changed fix:working other:idle"), client.taken());
        tick();
        frame(
                fix,
                "'type':'ask','ask_id':'ask_000000000000000000000001','kind':'tool','title':'Bash',"
                        + "'options':[{'id':'allow','name':'Allow'}],'deadline':10,'default':'allow'");
        finish(fix);
        tick();
        assertEquals(List.of("changed fix:ended"), client.taken());
    }

    @Test
    void shouldTellOfAskAndUsageAndReaders() {
        Spawn fix = start("fix");
        Client client = new Client(admin, 0);
        client.taken();
        frame(
                fix,
                "'type':'ask','ask_id':'ask_000000000000000000000001','kind':'tool','title':'Bash',"
                        + "'options':[{'id':'allow','name':'Allow'}],'deadline':10,'default':'allow'");
        tick();
        frame(fix, "'type':'answered','ask_id':'ask_000000000000000000000001','option':'allow','reason':'person'");
        tick();
        frame(fix, "'type':'usage','input_tokens':3,'output_tokens':4");
        tick();
        fix.log().subscribe(1, false, null, 0, new RecordingSink()).close();
        tick();
        assertEquals(
                List.of("changed fix:waiting?", "changed fix:idle", "changed fix:idle", "changed fix:idle"),
                client.taken());
        frame(fix, "'type':'tool','id':'t1','name':'Bash','status':'started'");
        frame(fix, "'type':'chunk','stream':'stdout','content':'x'");
        time.pass(10 * SessionNews.PAUSE_MS);
        assertEquals(List.of(), client.taken(), "what it says is in its stream");
        assertEquals(0, time.pending(), "nothing is looked at without a reason");
    }

    @Test
    void shouldTellAStormOncePerPause() {
        // Scenario: a thousand changes of two sessions within a second.
        List<Spawn> all = Stream.of("one", "two").map(this::start).toList();
        Client client = new Client(admin, 0);
        client.taken();
        for (int i = 0; i < 1000; i++) {
            frame(all.get(i % 2), i % 4 < 2 ? "'type':'message','content':'go'" : "'type':'done','exit_code':0");
            time.pass(1);
        }
        tick();
        List<String> told = client.taken();
        assertTrue(told.size() <= 6, told::toString);
        assertTrue(told.stream().allMatch(line -> line.matches("changed one:\\w+ two:\\w+")), told::toString);
    }

    @Test
    void shouldTellASlowClientOnlyHowItStandsNow() {
        Spawn fix = start("fix");
        Client client = new Client(admin, 0);
        client.taken();
        client.reads = false;
        for (int i = 0; i < 50; i++) {
            frame(fix, "'type':'message','content':'go'");
            tick();
            frame(fix, "'type':'done','exit_code':0");
            tick();
        }
        client.reads = true;
        client.read();
        assertEquals(List.of("changed fix:idle"), client.taken());
    }

    @Test
    void shouldBeginAgainWhenTooManyWaitForASlowClient() {
        Client client = new Client(admin, 0);
        client.taken();
        client.reads = false;
        Spawn last = start("last");
        for (int i = 0; i <= SessionNews.CHANGED_MAX; i++) {
            finish(start("s" + i));
        }
        tick();
        client.reads = true;
        client.read();
        assertEquals(List.of("all last:idle and more"), client.taken());
        finish(last);
        tick();
        assertEquals(List.of("changed last:ended removed 1"), client.taken(), "a thousand that ended are known");
    }

    @Test
    void shouldCutManyIntoLinesOfBoundedSize() {
        IntStream.range(0, 2 * SessionNews.SESSIONS_MAX + 3).forEach(i -> finish(start("s" + i)));
        start("alive");
        assertEquals(List.of("all 64", "changed 64", "changed 4"), new Client(admin, 1000).taken());
        assertEquals(List.of("all 4 and more"), new Client(admin, 3).taken());
        assertEquals(List.of("all alive:idle and more"), new Client(admin, 0).taken());
    }

    @Test
    void shouldTellOfWhatIsForgotten() {
        Spawn fix = start("fix");
        finish(fix);
        Client client = new Client(admin, 5);
        assertEquals(List.of("all fix:ended"), client.taken());
        bench.spawns().forget(fix.spawnId());
        tick();
        assertEquals(List.of("changed removed 1"), client.taken());
    }

    @Test
    void shouldTellNobodyOfSessionsThatItMayNotSee() {
        Spawn fix = start("fix");
        Spawn other = start("other");
        Client captain = new Client(new Access(fix.captain(), Role.CAPTAIN, null, null, null), 0);
        Client stranger = new Client(new Access("mallory", Role.CAPTAIN, null, null, null), 0);
        Client watcher = new Client(new Access("eve", Role.WATCHER, other.spawnId(), null, null), 0);
        frame(fix, "'type':'message','content':'go'");
        frame(other, "'type':'message','content':'go'");
        finish(fix);
        bench.spawns().forget(fix.spawnId());
        tick();
        assertEquals(List.of("all fix:idle other:idle", "changed other:working removed 1"), captain.taken());
        assertEquals(List.of("all"), stranger.taken());
        assertEquals(List.of("all other:idle", "changed other:working"), watcher.taken());
    }

    @Test
    void shouldTellNobodyWhoLeft() {
        Spawn fix = start("fix");
        Client client = new Client(admin, 0);
        client.taken();
        frame(fix, "'type':'message','content':'go'");
        client.end.run();
        frame(fix, "'type':'done','exit_code':0");
        tick();
        assertEquals(List.of(), client.taken());
        assertEquals(0, time.pending());
    }
}
