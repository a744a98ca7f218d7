package brig.gateway.spawn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.limits.Admission;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.SpawnState;
import brig.protocol.json.Json;
import brig.protocol.spawn.SpawnRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests that come more than once. */
class RequestsTest {
    private static final String ID = "8e03978e-40d5-43dd-bc93-6894a57f9324";
    private static final String BODY = "'agent_config':{'name':'shell','model':'m'},'prompt':'go','workspace':'/w',"
            + "'project':'p','env_allowlist':['A','B'],'timeout_seconds':60,'policy':'build','once':false";

    private final SpawnBench bench = new SpawnBench();

    private static SpawnRequest request(String body) {
        String json = ("{'request_id':'" + ID + "'," + body + "}").replace('\'', '"');
        return Json.read(json.getBytes(StandardCharsets.UTF_8), SpawnRequest.class);
    }

    private static CompletableFuture<GrantedSpawn> ask(SpawnBench bench, String body, String captain) {
        return bench.begin(request(body), captain).thenCompose(AcceptedSpawn::running);
    }

    private CompletableFuture<GrantedSpawn> ask(String body) {
        return ask(bench, body, SpawnBench.CAPTAIN);
    }

    /** Asked and answered: the worker runs. */
    private GrantedSpawn granted() {
        CompletableFuture<GrantedSpawn> answer = ask(BODY);
        bench.started(bench.spawns.all().getFirst().spawnId());
        return answer.join();
    }

    private static BrigException refusal(CompletableFuture<?> failed) {
        return SpawnBench.refusal(failed);
    }

    @Test
    void shouldStartOneWorkerAndAnswerAllAlikeWhenAHundredAskAtOnce() {
        List<CompletableFuture<GrantedSpawn>> answers = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            answers.add(bench.spawner
                    .spawn(
                            request(BODY),
                            new Admission.Applicant(new SpawnRequest.Asker(SpawnBench.CAPTAIN, false), 0, () -> false))
                    .thenCompose(AcceptedSpawn::running)
                    .toCompletableFuture());
        }
        bench.loop.run();
        assertEquals(1, bench.workers.asked.size());
        assertTrue(answers.stream().noneMatch(CompletableFuture::isDone));
        bench.started(bench.spawns.all().getFirst().spawnId());
        GrantedSpawn first = answers.getFirst().join();
        answers.forEach(answer -> assertEquals(first, answer.join()));
        assertEquals(1, bench.spawns.all().size());
        assertEquals("1/1", bench.slots());
    }

    @Test
    void shouldGiveTheFirstAnswerAgainWhenTheWorkerRunsOrHasEnded() {
        GrantedSpawn first = granted();
        assertEquals(first, ask(BODY).join());
        Spawn spawn = bench.spawn(first);
        bench.send(spawn, "{\"type\":\"state\",\"seq\":1,\"ts\":1,\"state\":\"terminated\"}\n");
        assertEquals(SpawnState.TERMINATED, spawn.state());
        assertEquals(first, ask(BODY).join());
        assertEquals(1, bench.workers.asked.size());
        assertTrue(spawn.isCaptainToken(first.captainToken()) && spawn.isWatcherToken(first.watcherToken()));
        assertNotEquals(first.captainToken(), first.watcherToken());
    }

    @Test
    void shouldGiveTheFirstAnswerAgainWhenTheGatewayRestarted() {
        GrantedSpawn first = granted();
        SpawnBench after = SpawnBench.restarted(bench);
        assertEquals(first, ask(after, BODY, SpawnBench.CAPTAIN).join());
        assertEquals(0, after.workers.asked.size());
        assertFalse(bench.store.requests().toString().contains(first.captainToken()), "tokens are not kept");
        assertFalse(bench.store.requests().toString().contains("go"), "nor is the prompt");
    }

    @Test
    void shouldAnswerBeforeAnyLimitWhenTheAnswerIsKnown() {
        GrantedSpawn first = granted();
        bench.run("other");
        assertEquals("2/2", bench.slots());
        assertEquals(first, ask(BODY).join());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'prompt':'go'|'prompt':'stop'",
                "'model':'m'|'model':'n'",
                "'workspace':'/w'|'workspace':'/v'",
                "['A','B']|['A']",
                "'timeout_seconds':60|'timeout_seconds':61",
                "'timeout_seconds':60|'timeout_seconds':60,'lease_seconds':5",
                "'name':'shell'|'name':'demo'",
                "'policy':'build'|'policy':'review'",
                "'once':false|'once':true",
                "'project':'p'|'project':'p','task_id':'x'"
            })
    void shouldRefuseAnotherRequestUnderTheSameId(String part, String changed) {
        String other = BODY.replace(part, changed);
        assertNotEquals(BODY, other);
        CompletableFuture<GrantedSpawn> first = ask(BODY);
        BrigException inFlight = refusal(ask(other));
        assertEquals(ErrorCode.IDEMPOTENCY_CONFLICT, inFlight.code());
        assertEquals(409, inFlight.httpStatus());

        bench.started(bench.spawns.all().getFirst().spawnId());
        first.join();
        BrigException reused = refusal(ask(other));
        assertEquals(ErrorCode.IDEMPOTENCY_CONFLICT, reused.code());
        assertEquals(422, reused.httpStatus());
        assertEquals(1, bench.workers.asked.size());
    }

    @Test
    void shouldBeTheSameRequestHoweverItIsWritten() {
        GrantedSpawn first = granted();
        String same = "'env_allowlist':['B','A','B'],'timeout_seconds':60,'policy':'build','tools':null,"
                + "'prompt':'go','agent_config':{'model':'m','name':'shell'},'workspace':'/w','project':'p'";
        assertEquals(first, ask(same.replace("'tools':null,", "")).join());
    }

    @Test
    void shouldCountWithinAProject() {
        granted();
        CompletableFuture<GrantedSpawn> other = ask(BODY.replace("'project':'p'", "'project':'q'"));
        assertFalse(other.isDone());
        assertEquals(2, bench.workers.asked.size());
    }

    @Test
    void shouldNotGiveTokensToACaptainThatMayNotHaveThem() {
        GrantedSpawn first = granted();
        assertEquals(first, ask(bench, BODY, "admin").join(), "operators may do everything");
        for (String other : List.of("captain-7", "uid:4243")) {
            assertEquals(
                    ErrorCode.IDEMPOTENCY_CONFLICT,
                    refusal(ask(bench, BODY, other)).code());
        }
    }

    @Test
    void shouldStartAnewWhenADayHasPassed() {
        GrantedSpawn first = granted();
        bench.pass(Requests.KEPT_MS - 1);
        assertEquals(first, ask(BODY).join());
        bench.pass(1);
        CompletableFuture<GrantedSpawn> second = ask(BODY);
        assertEquals(2, bench.workers.asked.size());
        bench.started(bench.spawns.all().getFirst().spawnId());
        assertNotEquals(first.spawnId(), second.join().spawnId());
    }

    @Test
    void shouldForgetOldIdsByAndBy() {
        var _ = bench.spawner.recover();
        granted();
        assertEquals(1, bench.store.requests().size());
        bench.pass(Requests.KEPT_MS + 2 * 3600 * 1000);
        assertEquals(0, bench.store.requests().size());
    }

    @Test
    void shouldStartNothingWhenTheRequestCannotBeRecorded() {
        bench.store.setBroken(true);
        assertTrue(ask(BODY).isCompletedExceptionally());
        assertEquals(0, bench.workers.asked.size());
        bench.store.setBroken(false);
        assertFalse(ask(BODY).isDone(), "the id is free");
        assertEquals(1, bench.workers.asked.size());
    }

    @Test
    void shouldFreeTheIdWhenTheRefusalSaysLater() {
        bench.run("a");
        bench.run("b");
        assertEquals(ErrorCode.MAX_WORKERS_PER_CAPTAIN, refusal(ask(BODY)).code());
        bench.send(
                bench.spawns.find("a").orElseThrow(),
                "{\"type\":\"state\",\"seq\":1,\"ts\":1,\"state\":\"terminated\"}\n");
        assertFalse(ask(BODY).isDone());
        assertEquals(3, bench.workers.asked.size());
    }

    @Test
    void shouldRepeatARefusalThatStands() {
        CompletableFuture<GrantedSpawn> first = ask(BODY);
        bench.workers
                .asked
                .get(bench.spawns.all().getFirst().spawnId())
                .completeExceptionally(new BrigException(ErrorCode.COMMAND_NOT_FOUND, "no such program"));
        bench.loop.run();
        assertEquals(ErrorCode.COMMAND_NOT_FOUND, refusal(first).code());
        BrigException again = refusal(ask(BODY));
        assertEquals(ErrorCode.COMMAND_NOT_FOUND, again.code());
        assertEquals("no such program", again.getMessage());
        assertEquals(1, bench.workers.asked.size());
    }

    @Test
    void shouldAnswerWithTheAdoptedWorkerWhenTheGatewayDiedBeforeItCould() {
        var _ = ask(BODY);
        String spawnId = bench.spawns.all().getFirst().spawnId();
        SpawnBench after = SpawnBench.restarted(bench);
        CompletableFuture<GrantedSpawn> again = ask(after, BODY, SpawnBench.CAPTAIN);
        assertFalse(again.isDone(), "nobody knows yet");
        assertEquals(
                409,
                refusal(ask(after, BODY.replace("'go'", "'stop'"), SpawnBench.CAPTAIN))
                        .httpStatus());
        after.reconcile(spawnId);
        assertEquals(spawnId, again.join().spawnId());
        assertEquals("/run/io.sock", again.join().ioSocket());
        assertEquals("/workspaces/" + spawnId, again.join().workspace());
        assertTrue(after.spawn(again.join()).isCaptainToken(again.join().captainToken()));
        assertEquals(again.join(), ask(after, BODY, SpawnBench.CAPTAIN).join());
        assertEquals(0, after.workers.asked.size());
    }

    @Test
    void shouldStartOneAnewWhenTheGatewayDiedAndNothingHadStarted() {
        var _ = ask(BODY);
        SpawnBench after = SpawnBench.restarted(bench);
        CompletableFuture<GrantedSpawn> early = ask(after, BODY, SpawnBench.CAPTAIN);
        after.reconcile();
        assertEquals(ErrorCode.WORKER_AGENT_UNAVAILABLE, refusal(early).code(), "it asked before that was known");
        CompletableFuture<GrantedSpawn> again = ask(after, BODY, SpawnBench.CAPTAIN);
        assertEquals(1, after.workers.asked.size());
        String fresh = after.workers.asked.keySet().iterator().next();
        after.started(fresh);
        assertEquals(fresh, again.join().spawnId());
    }

    @Test
    void shouldNameTheSameSpawnAtOnceWhateverBecameOfIt() {
        // Scenario: a captain that does not wait repeats its request while the start is under way, and when it has
        // failed.
        AcceptedSpawn first = SpawnBench.now(bench.begin(request(BODY), SpawnBench.CAPTAIN));
        AcceptedSpawn during = SpawnBench.now(bench.begin(request(BODY), SpawnBench.CAPTAIN));
        assertEquals(first, during);
        bench.workers
                .asked
                .get(first.spawnId())
                .completeExceptionally(new BrigException(ErrorCode.COMMAND_NOT_FOUND, "no such program"));
        bench.loop.run();
        AcceptedSpawn after = SpawnBench.now(bench.begin(request(BODY), SpawnBench.CAPTAIN));
        assertEquals(
                List.of(first.spawnId(), first.taskId(), first.captainToken(), first.watcherToken(), first.ioSocket()),
                List.of(after.spawnId(), after.taskId(), after.captainToken(), after.watcherToken(), after.ioSocket()));
        assertEquals(1, bench.workers.asked.size());
    }

    @Test
    void shouldBeginAnotherWhenAStartFailedThatMaySucceedLater() {
        AcceptedSpawn first = SpawnBench.now(bench.begin(request(BODY), SpawnBench.CAPTAIN));
        bench.workers
                .asked
                .get(first.spawnId())
                .completeExceptionally(new BrigException(ErrorCode.START_TIMEOUT, "too slow", 1));
        bench.loop.run();
        assertNotEquals(
                first.spawnId(),
                SpawnBench.now(bench.begin(request(BODY), SpawnBench.CAPTAIN)).spawnId());
    }

    @Test
    void shouldCountWithinAProvider() {
        granted();
        assertEquals(
                ErrorCode.INVALID_FIELD,
                refusal(ask(BODY + ",'provider':'far'")).code());
    }
}
