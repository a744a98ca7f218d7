package brig.gateway.spawn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.stream.RecordingSink;
import brig.protocol.ErrorCode;
import brig.protocol.SpawnState;
import brig.protocol.api.SpawnActivity;
import brig.protocol.frame.Frame;
import brig.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What the gateway believes, against what the worker-agent has. */
class ReconcileTest {
    private static final String RUNNING = "{\"type\":\"state\",\"seq\":1,\"ts\":1,\"state\":\"running\"}\n";
    private static final String CHUNK = "{\"type\":\"chunk\",\"seq\":2,\"ts\":1,\"content\":\"hi\"}\n";
    private static final String ANSWERED =
            "{\"type\":\"answered\",\"seq\":4,\"ts\":1,\"ask_id\":\"ask_1\",\"option\":\"deny\",\"reason\":\"person\"}\n";
    private static final String TERMINATED = "{\"type\":\"state\",\"seq\":3,\"ts\":1,\"state\":\"terminated\"}\n";

    private final SpawnBench bench = new SpawnBench();

    private static Spawn found(SpawnBench bench, Spawn spawn) {
        return bench.spawns.find(spawn.spawnId()).orElseThrow();
    }

    @Test
    void shouldFollowAWorkerBehindTheRecordWhenTheGatewayRestarted() {
        Spawn before = bench.run("fix");
        bench.send(before, RUNNING + CHUNK);

        SpawnBench after = SpawnBench.restarted(bench);
        Spawn spawn = found(after, before);
        assertEquals(SpawnState.RUNNING, spawn.state());
        assertEquals(before.log().epoch(), spawn.log().epoch());
        assertTrue(spawn.isAttachable(), "the record can be read before the worker-agent answers");
        after.reconcile(spawn.spawnId());

        assertEquals(3, after.stream(spawn).nextSeq);
        assertEquals("follow " + spawn.spawnId(), after.story.getFirst(), "readers wait for its frames");
        assertTrue(after.story.get(1).startsWith("door, state RUNNING"), after.story.get(1));
        RecordingSink captain = new RecordingSink();
        spawn.log().subscribe(1, true, null, 0, captain).drain();
        after.send(spawn, TERMINATED);
        assertEquals(RUNNING + CHUNK + TERMINATED, captain.text());
        assertEquals(SpawnState.TERMINATED, spawn.state());
        assertEquals(List.of("ack 3"), after.said(spawn));
    }

    @Test
    void shouldSayThatAnAgentWaitsForAPersonAlsoWhenTheGatewayRestarted() {
        Spawn before = bench.run("fix");
        bench.send(before, RUNNING);

        SpawnBench after = SpawnBench.restarted(bench);
        after.workersWork = true;
        Frame.Ask ask = new Frame.Ask(
                "ask_1",
                Frame.Ask.Kind.EGRESS,
                null,
                "a.test:443",
                null,
                "GET a.test:443",
                null,
                List.of(new Frame.Ask.Option("deny", "Deny")),
                false,
                5,
                "deny");
        after.workersAsks = List.of(ask);
        after.reconcile(before.spawnId());
        assertEquals(ask, found(after, before).asks().open().getFirst().ask());
        assertEquals(SpawnActivity.WAITING, found(after, before).view().activity());
        after.send(
                found(after, before),
                "{\"type\":\"answered\",\"seq\":2,\"ts\":1,\"ask_id\":\"ask_1\",\"option\":\"deny\",\"reason\":\"deadline\"}\n");
        assertEquals(SpawnActivity.WORKING, found(after, before).view().activity());
    }

    @Test
    void shouldTakeOverAWorkerWhenTheGatewayStoppedInTheMiddleOfItsStart() {
        var _ = bench.ask("fix", SpawnBench.CAPTAIN);
        Spawn before = bench.spawns.all().getFirst();
        assertEquals("SPAWNING", bench.recorded(before.spawnId()).getLast());

        SpawnBench after = SpawnBench.restarted(bench);
        after.reconcile(before.spawnId());

        assertEquals(SpawnState.RUNNING, found(after, before).state());
        assertEquals(
                "/workspaces/" + before.spawnId(), found(after, before).view().workspace());
        assertEquals("RUNNING", after.recorded(before.spawnId()).getLast());
    }

    @Test
    void shouldFailAtOnceWhenOnlyTheRequestWasRecorded() {
        // The worker-agent is asked only when "spawning" is on disk.
        var _ = bench.ask("fix", SpawnBench.CAPTAIN);
        Spawn before = bench.spawns.all().getFirst();
        bench.store.saved().removeLast();

        SpawnBench after = SpawnBench.restarted(bench);
        assertEquals(SpawnState.FAILED, found(after, before).state());
        after.reconcile(before.spawnId());
        assertEquals("abandon " + before.spawnId(), after.story.getLast());
    }

    @Test
    void shouldCountTakenOverWorkersAgainstTheLimitsWhenTheGatewayRestarted() {
        Spawn a = bench.run("a");
        Spawn b = bench.run("b");
        SpawnBench after = SpawnBench.restarted(bench);
        after.reconcile(a.spawnId(), b.spawnId());
        assertEquals("2/2", after.slots());
        assertEquals(
                ErrorCode.MAX_WORKERS_PER_CAPTAIN,
                SpawnBench.refusal(after.ask("c", SpawnBench.CAPTAIN)).code());

        after.send(found(after, a), RUNNING + CHUNK + TERMINATED);
        assertEquals("1/1", after.slots());
        assertFalse(after.ask("c", SpawnBench.CAPTAIN).isCompletedExceptionally());
    }

    @Test
    void shouldTakeOverEveryWorkerWhenTheLimitWasLoweredMeanwhile() {
        Spawn a = bench.run("a");
        Spawn b = bench.run("b");
        SpawnBench after = SpawnBench.restarted(bench, 1);
        after.reconcile(a.spawnId(), b.spawnId());
        assertEquals("2/2", after.slots());

        after.send(found(after, a), RUNNING + CHUNK + TERMINATED);
        assertEquals(
                ErrorCode.MAX_WORKERS,
                SpawnBench.refusal(after.ask("d", "uid:9")).code(),
                "one too many before");
        after.send(found(after, b), RUNNING + CHUNK + TERMINATED);
        assertFalse(after.ask("d", "uid:9").isCompletedExceptionally());
    }

    @Test
    void shouldSayGoodbyeForAWorkerWhenItIsGone() {
        Spawn spawn = bench.run("fix");
        RecordingSink captain = new RecordingSink();
        spawn.log().subscribe(1, true, null, 0, captain);
        bench.send(spawn, RUNNING + CHUNK);

        bench.nowMs = 1_767_225_699_000L;
        bench.reconcile();

        assertTrue(captain.text().startsWith(RUNNING + CHUNK));
        List<Map<String, ?>> goodbye =
                captain.text().lines().skip(2).map(ReconcileTest::parse).toList();
        long ts = 1_767_225_699_000L;
        assertEquals(
                List.of(
                        Map.of(
                                "type",
                                "error",
                                "seq",
                                3L,
                                "ts",
                                ts,
                                "code",
                                "WORKER_LOST",
                                "error",
                                "the worker-agent ended, and its workers with it"),
                        Map.of(
                                "type",
                                "done",
                                "seq",
                                4L,
                                "ts",
                                ts,
                                "exit_code",
                                137L,
                                "signal",
                                "SIGKILL",
                                "reason",
                                "worker_lost"),
                        Map.of("type", "state", "seq", 5L, "ts", ts, "state", "terminated", "reason", "worker_lost")),
                goodbye);
        assertTrue(captain.isEnded());
        assertEquals(SpawnState.TERMINATED, spawn.state());
        assertEquals("0/0", bench.slots());
        assertEquals(5, bench.archives.get(spawn.spawnId()).frames());
        assertEquals("TERMINATED", bench.recorded(spawn.spawnId()).getLast());
        assertTrue(bench.stream(spawn).closed);
    }

    @Test
    void shouldEndEachAskOfAWorkerThatIsGone() {
        // Scenario: two asks, of which one is answered; then the worker-agent and the worker are gone.
        Spawn spawn = bench.run("fix");
        RecordingSink captain = new RecordingSink();
        spawn.log().subscribe(1, true, null, 0, captain);
        bench.send(spawn, RUNNING + ask(2, "ask_1") + ask(3, "ask_2") + ANSWERED);

        bench.reconcile();

        List<Map<String, ?>> goodbye =
                captain.text().lines().skip(4).map(ReconcileTest::parse).toList();
        assertEquals(
                List.of("answered", "error", "done", "state"),
                goodbye.stream().map(line -> line.get("type")).toList());
        assertEquals(
                "ask_2 ended",
                goodbye.getFirst().get("ask_id") + " " + goodbye.getFirst().get("reason"));
        assertEquals(List.of("ask ask_1", "ask ask_2", "settled ask_1 PERSON", "settled ask_2 ENDED"), bench.asked);
        assertTrue(spawn.asks().open().isEmpty());
        assertEquals(8, bench.archives.get(spawn.spawnId()).frames());
    }

    @Test
    void shouldTellThatAsksEndWithTheStream() {
        Spawn spawn = bench.run("fix");
        bench.send(spawn, RUNNING + ask(2, "ask_1") + TERMINATED);
        assertEquals(List.of("ask ask_1", "settled ask_1 ENDED"), bench.asked);
    }

    private static String ask(int seq, String askId) {
        return "{\"type\":\"ask\",\"seq\":" + seq + ",\"ts\":1,\"ask_id\":\"" + askId
                + "\",\"kind\":\"tool\",\"title\":\"Bash\",\"options\":[],\"deadline\":9,\"default\":\"deny\"}\n";
    }

    private static Map<String, ?> parse(String line) {
        return Json.parseObject(line.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldSayGoodbyeBehindTheRecordWhenWorkerAndGatewayAreBothNew() {
        Spawn before = bench.run("fix");
        bench.send(before, RUNNING + CHUNK);
        SpawnBench after = SpawnBench.restarted(bench);
        after.reconcile();

        Spawn spawn = found(after, before);
        assertEquals(SpawnState.TERMINATED, spawn.state());
        RecordingSink late = new RecordingSink();
        spawn.log().subscribe(1, false, null, 0, late).drain();
        after.loop.run();
        assertEquals(List.of("1-5", "end"), late.joined());
        assertEquals("0/0", after.slots());
        assertEquals(0, after.budget.bytes());
    }

    @Test
    void shouldFailASpawnWhenTheGatewayStoppedBeforeItsWorkerRan() {
        var _ = bench.ask("fix", SpawnBench.CAPTAIN);
        Spawn before = bench.spawns.all().getFirst();
        SpawnBench after = SpawnBench.restarted(bench);
        after.reconcile();
        Spawn spawn = found(after, before);
        assertEquals(SpawnState.FAILED, spawn.state());
        assertTrue(String.valueOf(spawn.view().lastError()).startsWith("WORKER_AGENT_UNAVAILABLE: "));
        assertEquals("0/0", after.slots());
        assertEquals(List.of("abandon " + spawn.spawnId(), "door closed"), after.story, "none comes later");
    }

    @Test
    void shouldEndWorkersThatNobodyKnows() {
        Spawn spawn = bench.run("fix");
        bench.story.clear();
        bench.reconcile("spn_stranger", spawn.spawnId());
        assertEquals(List.of("abandon spn_stranger"), bench.story);
        assertEquals(SpawnState.RUNNING, spawn.state());
    }

    @Test
    void shouldEndAWorkerWhoseSpawnHasEnded() {
        Spawn spawn = bench.run("fix");
        bench.send(spawn, RUNNING + CHUNK + TERMINATED);
        SpawnBench after = SpawnBench.restarted(bench);
        assertEquals(SpawnState.TERMINATED, found(after, spawn).state());
        assertFalse(after.spawns.isLive("fix"));
        assertEquals("0/0", after.slots());
        after.reconcile(spawn.spawnId());
        assertEquals(List.of("door lingers, state TERMINATED", "abandon " + spawn.spawnId()), after.story);
    }

    @Test
    void shouldLeaveASpawnAloneWhenItIsInTheMiddleOfItsStart() {
        // Scenario: the link comes up while a spawn is under way; the worker-agent's list may or may not have it.
        CompletableFuture<GrantedSpawn> granted = bench.ask("fix", SpawnBench.CAPTAIN);
        Spawn spawn = bench.spawns.all().getFirst();
        bench.story.clear();
        bench.reconcile();
        bench.reconcile(spawn.spawnId());
        assertEquals(SpawnState.SPAWNING, spawn.state());
        assertEquals(List.of(), bench.story);

        bench.started(spawn.spawnId());
        assertTrue(granted.isDone());
        assertEquals(SpawnState.RUNNING, spawn.state());
        assertEquals("1/1", bench.slots());
    }

    @Test
    void shouldFollowOnceWhenTheLinkComesUpAgainAndTheWorkerIsFollowedAlready() {
        Spawn spawn = bench.run("fix");
        bench.story.clear();
        bench.reconcile(spawn.spawnId());
        assertEquals(List.of(), bench.story);
        assertFalse(bench.stream(spawn).closed);
    }

    @Test
    void shouldReadTheRecordOfAnEndedSpawnWhenTheGatewayRestarted() {
        Spawn before = bench.run("fix");
        bench.send(before, RUNNING + CHUNK + TERMINATED);
        SpawnBench after = SpawnBench.restarted(bench);
        RecordingSink late = new RecordingSink();
        found(after, before).log().subscribe(2, false, null, 0, late).drain();
        after.loop.run();
        assertEquals(CHUNK + TERMINATED, late.text());
        assertTrue(late.isEnded());
        assertEquals("shell", found(after, before).view().agent());
    }

    @Test
    void shouldRecordTheEndWhenTheProcessBeforeDiedBetweenTheLastFrameAndIt() {
        Spawn before = bench.run("fix");
        bench.send(before, RUNNING + CHUNK + TERMINATED);
        assertEquals("TERMINATED", bench.recorded(before.spawnId()).getLast());
        bench.store.saved().removeLast();
        bench.endStored = true;

        SpawnBench after = SpawnBench.restarted(bench);
        after.reconcile();

        assertEquals(SpawnState.TERMINATED, found(after, before).state());
        assertEquals(3, found(after, before).log().lastSeq());
        assertEquals("TERMINATED", after.recorded(before.spawnId()).getLast());
    }

    @Test
    void shouldEndTheWorkerWhenItWasUnwantedBeforeItRan() {
        var answer = bench.ask("fix", SpawnBench.CAPTAIN);
        Spawn spawn = bench.spawns.all().getFirst();
        var _ = bench.spawner.terminate(spawn, "requested", "uid:0");
        assertFalse(bench.story.toString().contains("terminate"), "nobody is there to be told yet");

        bench.started(spawn.spawnId());
        assertTrue(answer.toCompletableFuture().isDone());
        assertTrue(bench.story.toString().contains("terminate " + spawn.spawnId()), bench.story.toString());
    }

    @Test
    void shouldBeginAnotherEpochWhenFramesOfAWorkerThatIsGoneMayHaveBeenSeenAndNotRecorded() {
        Spawn before = bench.run("fix");
        bench.send(before, RUNNING + CHUNK);
        SpawnBench after = SpawnBench.restarted(bench);
        after.reconcile();
        Spawn spawn = found(after, before);
        assertEquals(SpawnState.TERMINATED, spawn.state());
        assertNotEquals(before.log().epoch(), spawn.log().epoch());
        assertEquals(spawn.log().epoch(), after.store.saved().getLast().epoch());
        RecordingSink late = new RecordingSink();
        spawn.log().subscribe(1, false, null, 0, late).drain();
        after.loop.run();
        assertTrue(late.text().startsWith(RUNNING + CHUNK), "what was recorded is there");
        assertTrue(late.text().contains("worker_lost"));
    }

    @Test
    void shouldUseNoNumberTwiceWhenTheWorkerAgentDiesBeforeItHasSentAgainWhatReadersSaw() {
        // Scenario: the gateway before had shown 1 to 7 and recorded 1 and 2; the worker-agent said so, and died.
        Spawn before = bench.run("fix");
        bench.send(before, RUNNING + CHUNK);
        SpawnBench after = SpawnBench.restarted(bench);
        after.workersLastSeq = 7;
        after.reconcile(before.spawnId());
        Spawn spawn = found(after, before);
        RecordingSink ahead = new RecordingSink();
        spawn.log().subscribe(8, true, null, 0, ahead).drain();
        after.reconcile();
        assertEquals(SpawnState.TERMINATED, spawn.state());
        assertEquals(before.log().epoch(), spawn.log().epoch());
        assertEquals(List.of("8-10", "end"), ahead.joined(), "error, done, state");
        assertTrue(ahead.text().contains("worker_lost"), ahead::text);
        RecordingSink late = new RecordingSink();
        spawn.log().subscribe(1, false, null, 0, late).drain();
        after.loop.run();
        assertEquals(List.of("1-2", "gap 3-7 record_lost", "8-10", "end"), late.joined());
    }

    @Test
    void shouldKeepTheDoorOpenForReadersOfASpawnThatEndedWhileNobodyListened() {
        Spawn before = bench.run("fix");
        bench.send(before, RUNNING + CHUNK);
        bench.archives.get(before.spawnId()).forget(3);
        SpawnBench ended = SpawnBench.restarted(bench);
        ended.reconcile();
        assertEquals(List.of("abandon " + before.spawnId(), "door lingers, state TERMINATED"), ended.story);
        SpawnBench soon = SpawnBench.restarted(ended);
        assertEquals(List.of("door lingers, state TERMINATED"), soon.story, "again, within half a minute");
    }

    @Test
    void shouldKeepTheEpochWhenTheGatewayKnewAllThatReadersSaw() {
        Spawn spawn = bench.run("fix");
        bench.send(spawn, RUNNING + CHUNK);
        String epoch = spawn.log().epoch();
        bench.reconcile();
        assertEquals(SpawnState.TERMINATED, spawn.state());
        assertEquals(epoch, spawn.log().epoch());
    }

    @Test
    void shouldHandOverHowAStreamEndedWhenItIsRecorded() {
        Spawn spawn = bench.run("fix");
        bench.send(
                spawn,
                RUNNING + CHUNK + "{\"type\":\"done\",\"seq\":3,\"ts\":1,\"exit_code\":0}\n"
                        + TERMINATED.replace("\"seq\":3", "\"seq\":4"));
        String end = bench.ends.get(spawn.spawnId());
        assertTrue(end.startsWith("3-4 "), end);
        assertTrue(end.contains("\"done\"") && end.contains("\"terminated\""), end);
    }

    @Test
    void shouldSayHowAStreamEndedWhenItsEndWasNotRecorded() {
        // Scenario: the disk was full, so the record of a spawn that is over breaks off; then the gateway restarted.
        Spawn before = bench.run("fix");
        bench.send(before, RUNNING + CHUNK + TERMINATED);
        bench.archives.get(before.spawnId()).forget(3);
        SpawnBench after = SpawnBench.restarted(bench);
        Spawn spawn = found(after, before);
        assertEquals(SpawnState.TERMINATED, spawn.state());
        assertNotEquals(before.log().epoch(), spawn.log().epoch());
        RecordingSink late = new RecordingSink();
        spawn.log().subscribe(1, false, null, 0, late).drain();
        after.loop.run();
        assertTrue(late.isEnded());
        assertTrue(late.text().contains("RECORD_LOST") && late.text().contains("record_lost"), late::text);
        assertTrue(after.archives.get(spawn.spawnId()).last().contains("terminated"), "and it is recorded now");
    }
}
