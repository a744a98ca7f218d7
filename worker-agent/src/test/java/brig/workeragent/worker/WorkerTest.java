package brig.workeragent.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.policy.EgressPolicy;
import brig.formats.adapter.TerminalAdapter;
import brig.formats.adapter.TerminalFollower;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.Fork;
import brig.protocol.control.Message;
import brig.protocol.egress.EgressEvent;
import brig.protocol.frame.ForkedFrom;
import brig.protocol.spawn.Budget;
import brig.protocol.spawn.PermissionMode;
import brig.protocol.spawn.RootOverlay;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.spawn.TerminalSize;
import brig.workeragent.budget.Budgets;
import brig.workeragent.profile.AgentProfile;
import brig.workeragent.profile.Install;
import brig.workeragent.profile.Policy;
import brig.workeragent.profile.SignedIn;
import brig.workeragent.pump.Outbox;
import brig.workeragent.wall.ProcessEnd;
import brig.workeragent.worker.FakeWalls.FakeProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkerTest {
    private static final String NOT_WORKED_OFF =
            "{type=error, error=a message that waited was not worked off: the worker is"
                    + " being ended, code=INPUT_NOT_ACCEPTED}";
    private static final String RUNNING = "{type=state, state=running}";

    private final FakeWalls walls = new FakeWalls();
    private final FakeTimers timers = new FakeTimers();
    private Budgets.Terms terms = Budgets.Terms.NONE;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final CountDownLatch drained = new CountDownLatch(1);
    private FrameTail frames;
    private String adapter = "text";
    private Policy policy = policy(0, 0);
    private TerminalSize tty;
    private Fork fork;
    private WorkerPlan.Keeper keeper;

    private static Policy policy(long wallClockMs, long idleMs) {
        return new Policy(
                "",
                Map.of("/workspace", new Policy.Mount(".", false)),
                List.of(),
                List.of(),
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                wallClockMs,
                idleMs,
                false,
                "narrow",
                EgressPolicy.NONE,
                Budget.NONE,
                "",
                "",
                RootOverlay.NONE);
    }

    private Worker worker(String process, String stdin, String prompt, boolean once) {
        List<String> command = stdin.equals("lines") ? List.of("agent") : List.of("agent", "{message}", "{model}");
        AgentProfile profile = new AgentProfile(
                "",
                command,
                List.of(),
                adapter,
                process,
                stdin,
                Map.of(),
                "build",
                false,
                PermissionMode.ALLOW,
                List.of(),
                new AgentProfile.Asks(600_000),
                "private",
                List.of(),
                new Install("", List.of()),
                List.of(),
                new AgentProfile.Forking(List.of("--copy", "{session}"), ""),
                Map.of(),
                "",
                false,
                null,
                new SignedIn(Map.of(), List.of(), List.of()),
                Map.of(),
                Budget.NONE,
                "",
                "",
                null,
                Map.of());
        SpawnRequest request = new SpawnRequest(
                null,
                null,
                new SpawnRequest.AgentConfig("agent", null, List.of(), null),
                prompt,
                once,
                null,
                SpawnRequest.WorkspaceMode.FOLDER,
                null,
                false,
                SpawnRequest.Claim.NONE,
                SpawnRequest.Bounds.NONE,
                new SpawnRequest.Continuation(null, false, tty, null),
                null);
        WorkerPlan plan = new WorkerPlan(
                "spn_test",
                request,
                new SpawnRequest.Asker("ci", false, "http"),
                profile,
                new WorkerPlan.Resources(
                        null,
                        tty == null
                                ? profile.newAdapter()
                                : new TerminalAdapter(tty, (size, sink, answers) -> TerminalFollower.NONE, null),
                        null,
                        keeper),
                policy,
                WorkerPlan.Workspace.of(Path.of("/workspace")),
                terms,
                fork);
        Worker.Listener listener = new Worker.Listener() {
            @Override
            public void handleEnded(Worker worker) {
                ended.countDown();
            }

            @Override
            public void handleDrained(Worker worker) {
                drained.countDown();
            }
        };
        Outbox outbox = new Outbox(100_000);
        Worker worker = new Worker(
                plan,
                walls.build(null),
                outbox,
                new OpenAsks(plan.spawnId(), outbox, timers, 60_000),
                new Worker.Services(new StopTimes(60_000, 3_600_000, 300, 2000), timers, Runnable::run, listener));
        frames = new FrameTail(worker.outbox());
        return worker;
    }

    @Test
    void shouldTellItsBudgetAtItsStart() throws Exception {
        terms = new Budgets.Terms(
                60_000, 60_000, Budget.OnLimit.ASK, new Budget(2.0, null, null, null, 3L, Budget.OnLimit.ASK));
        shell();
        assertEquals(
                "{type=budget, percent=0, scope=session, used={usd=0.0, wall_ms=0}, reserved={},"
                        + " limit={usd=2.0, wall_ms=60000}}",
                frames.next());
    }

    private static void say(Worker worker, String content) {
        say(worker, content, null);
    }

    private static void say(Worker worker, String content, String id) {
        worker.input(new Message(content, id, null, null));
    }

    private Worker shell() throws InterruptedException {
        Worker worker = worker("message", "null", null, false);
        worker.start().join();
        assertEquals(RUNNING, frames.next());
        return worker;
    }

    private void assertEnd(String reason) throws InterruptedException {
        assertEquals("{type=state, state=terminated, reason=" + reason + "}", frames.next());
        assertTrue(ended.await(20, TimeUnit.SECONDS));
        assertEquals(1, walls.closed.get());
    }

    @Test
    void shouldRunOneProcessPerMessageInOrderWhenMessagesWait() throws Exception {
        Worker worker = shell();
        say(worker, "one");
        say(worker, "two");
        FakeProcess first = walls.next();
        assertEquals(List.of("agent", "one", ""), first.command);
        assertTrue(walls.started.isEmpty());
        first.out.write("hello".getBytes(UTF_8));
        first.exit(3);
        assertEquals("{type=chunk, stream=stdout, content=hello}", frames.next());
        assertEquals("{type=done, exit_code=3}", frames.next());
        assertEquals(List.of("agent", "two", ""), walls.next().command);
    }

    /** Scenario: all output is there, and the end of the process waits for what brig-egress says of it. */
    @Test
    void shouldSayTheEndOfAMessageBehindWhatItsProcessCaused() throws Exception {
        Worker worker = shell();
        say(worker, "one");
        say(worker, "two");
        for (String message : List.of("one", "two")) {
            FakeProcess process = walls.next();
            assertEquals(message, process.command.get(1));
            process.out.write(message.getBytes(UTF_8));
            process.out.close();
            process.err.close();
            assertEquals("{type=chunk, stream=stdout, content=" + message + "}", frames.next());
            new EgressFrames(worker.outbox(), timers)
                    .handle(new EgressEvent.Answered("a.example", 443, false, "nobody allowed it in time"));
            process.exit(0);
            assertTrue(frames.next().startsWith("{type=egress, "));
            assertEquals("{type=done, exit_code=0}", frames.next());
        }
        worker.terminate(EndReason.REQUESTED);
        assertEnd("requested");
    }

    @Test
    void shouldTellWhatEachMessageIsAndWhoSentItWhenItsTurnComes() throws Exception {
        Worker worker = worker("message", "null", "zero", false);
        worker.start().join();
        assertEquals(RUNNING, frames.nextOfAll());
        assertEquals("{type=message, message_id=brig.1, content=zero, by=ci, via=http}", frames.nextOfAll());
        worker.input(new Message("one", "m1", "uid:7", "cli"));
        say(worker, "two");
        say(worker, "x".repeat(70_000), "m3");
        assertEquals("{type=accepted, message_id=m1}", frames.nextOfAll());
        assertEquals("{type=accepted, message_id=m3}", frames.nextOfAll());
        walls.next().exit(0);
        assertEquals("{type=done, exit_code=0}", frames.nextOfAll());
        assertEquals("{type=message, message_id=m1, content=one, by=uid:7, via=cli}", frames.nextOfAll());
        walls.next().exit(0);
        assertEquals("{type=done, exit_code=0}", frames.nextOfAll());
        assertEquals("{type=message, message_id=brig.2, content=two}", frames.nextOfAll(), "Brig names it");
        walls.next().exit(0);
        assertEquals("{type=done, exit_code=0}", frames.nextOfAll());
        String piece = frames.nextOfAll();
        assertTrue(piece.startsWith("{type=message, message_id=m3, content=xxx") && piece.endsWith("x, more=true}"));
        String rest = frames.nextOfAll();
        assertTrue(rest.startsWith("{type=message, message_id=m3, content=xxx") && rest.endsWith("x}"));
        assertEquals(70_000, (piece + rest).chars().filter(c -> c == 'x').count());
    }

    @Test
    void shouldRunAMessageOnceWhenItComesAgainUnderItsName() throws Exception {
        Worker worker = shell();
        say(worker, "one", "m1");
        say(worker, "one", "m1");
        assertEquals("{type=accepted, message_id=m1}", frames.nextOfAll());
        assertEquals("{type=message, message_id=m1, content=one}", frames.nextOfAll());
        assertEquals("{type=accepted, message_id=m1}", frames.nextOfAll());
        walls.next().exit(0);
        assertEquals("{type=done, exit_code=0}", frames.nextOfAll());
        say(worker, "one", "m1");
        assertEquals("{type=accepted, message_id=m1}", frames.nextOfAll());
        say(worker, "two", "m2");
        assertEquals("{type=accepted, message_id=m2}", frames.nextOfAll());
        assertEquals("{type=message, message_id=m2, content=two}", frames.nextOfAll());
        assertEquals(List.of("agent", "two", ""), walls.next().command);
    }

    @Test
    void shouldTakeAMessageAgainUnderItsNameWhenItWasRefused() throws Exception {
        Worker worker = shell();
        say(worker, "one");
        FakeProcess first = walls.next();
        for (int i = 0; i < Mailbox.MESSAGES_MAX; i++) {
            say(worker, "message " + i);
        }
        say(worker, "more", "m1");
        assertEquals(
                "{type=error, error=too many messages wait, code=INPUT_NOT_ACCEPTED, message_id=m1}", frames.next());
        first.exit(0);
        assertEquals("{type=done, exit_code=0}", frames.next());
        walls.next();
        say(worker, "more", "m1");
        assertEquals("{type=message, message_id=brig.2, content=message 0}", frames.nextOfAll());
        assertEquals("{type=accepted, message_id=m1}", frames.nextOfAll());
    }

    @Test
    void shouldNameTheMessageThatIsRefused() throws Exception {
        Worker worker = shell();
        say(worker, "one");
        walls.next();
        say(worker, "two", "m2");
        worker.terminate(EndReason.REQUESTED);
        assertEquals(
                "{type=error, error=a message that waited was not worked off: the worker is being ended,"
                        + " code=INPUT_NOT_ACCEPTED, message_id=m2}",
                frames.next());
    }

    @Test
    void shouldSendDoneBehindAllOutputWhenProcessIsGoneFirst() throws Exception {
        // Scenario: the exit is known while both pipes still hold output.
        Worker worker = shell();
        say(worker, "one");
        FakeProcess process = walls.next();
        process.end.complete(new ProcessEnd(143, "SIGTERM", false));
        process.err.write("late".getBytes(UTF_8));
        process.err.close();
        assertEquals("{type=chunk, stream=stderr, content=late}", frames.next());
        process.out.write("later".getBytes(UTF_8));
        process.out.close();
        assertEquals("{type=chunk, stream=stdout, content=later}", frames.next());
        assertEquals("{type=done, exit_code=143, signal=SIGTERM}", frames.next());
    }

    @Test
    void shouldEndAfterFirstDoneWhenOnce() throws Exception {
        worker("message", "null", "hi", true).start().join();
        walls.next().exit(0);
        assertEquals(RUNNING, frames.next());
        assertEquals("{type=done, exit_code=0}", frames.next());
        assertEnd("completed");
    }

    @Test
    void shouldSayThatWaitingMessagesAreNotWorkedOffWhenItEndsByItself() throws Exception {
        Worker worker = worker("message", "null", "hi", true);
        worker.start().join();
        FakeProcess process = walls.next();
        say(worker, "one more");
        say(worker, "and another");
        process.exit(0);
        assertEquals(RUNNING, frames.next());
        assertEquals("{type=done, exit_code=0}", frames.next());
        assertEquals(NOT_WORKED_OFF, frames.next());
        assertEquals(NOT_WORKED_OFF, frames.next());
        assertEnd("completed");
    }

    @Test
    void shouldClimbLadderAndGoOnWhenCancelled() throws Exception {
        Worker worker = shell();
        say(worker, "one");
        say(worker, "two");
        FakeProcess process = walls.next();
        worker.cancel();
        assertEquals(List.of("TERM"), process.signals);
        timers.advance(2000);
        assertEquals(List.of("TERM", "KILL"), process.signals);
        process.exit(new ProcessEnd(137, "SIGKILL", false));
        assertEquals("{type=done, exit_code=137, signal=SIGKILL, reason=cancelled}", frames.next());
        assertEquals("two", walls.next().command.get(1));
    }

    @Test
    void shouldSayThatWaitingMessagesAreNotWorkedOffAndEndWhenTerminated() throws Exception {
        Worker worker = shell();
        say(worker, "one");
        say(worker, "two");
        FakeProcess process = walls.next();
        worker.terminate(EndReason.REQUESTED);
        worker.terminate(EndReason.SHUTDOWN);
        say(worker, "three");
        process.exit(new ProcessEnd(143, "SIGTERM", false));
        assertEquals(NOT_WORKED_OFF, frames.next());
        assertEquals("{type=error, error=the worker is being ended, code=INPUT_NOT_ACCEPTED}", frames.next());
        assertEquals("{type=done, exit_code=143, signal=SIGTERM, reason=terminated}", frames.next());
        assertEnd("requested");
        say(worker, "four");
        assertTrue(walls.started.isEmpty());
        assertTrue(frames.isEmpty());
    }

    @Test
    void shouldTerminateAsSoonAsStartedWhenAskedDuringStart() throws Exception {
        // Scenario: the start of a process takes long, the captain gives up meanwhile.
        Worker worker = shell();
        walls.mayStart = new CompletableFuture<>();
        Thread starting = Thread.ofVirtual().start(() -> say(worker, "one"));
        while (starting.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        worker.terminate(EndReason.REQUESTED);
        walls.mayStart.complete(null);
        FakeProcess process = walls.next();
        starting.join();
        assertEquals(List.of("TERM"), process.signals);
        process.exit(0);
        assertEquals("{type=done, exit_code=0, reason=terminated}", frames.next());
        assertEnd("requested");
    }

    @Test
    void shouldEndWhenIdleTooLongButNotWhileRunning() throws Exception {
        Worker worker = shell();
        timers.advance(59_000);
        say(worker, "one");
        timers.advance(500_000);
        walls.next().exit(0);
        assertEquals("{type=done, exit_code=0}", frames.next());
        while (timers.waiting() == 0) {
            Thread.onSpinWait();
        }
        timers.advance(60_000);
        assertEnd("idle_timeout");
    }

    @Test
    void shouldStopProcessByLadderWhenItsWallClockIsReached() throws Exception {
        policy = policy(5000, 0);
        Worker worker = shell();
        say(worker, "one");
        FakeProcess process = walls.next();
        timers.advance(4999);
        assertEquals(List.of(), process.signals);
        timers.advance(1);
        assertEquals(List.of("TERM"), process.signals);
        process.exit(new ProcessEnd(143, "SIGTERM", false));
        assertEquals("{type=done, exit_code=143, signal=SIGTERM, reason=timeout}", frames.next());
        say(worker, "two");
        walls.next().exit(0);
        assertEquals("{type=done, exit_code=0}", frames.next());
    }

    @Test
    void shouldTakeTheSmallerTimeWhenPolicyAndCaptainBothHaveOne() {
        for (long[] each : new long[][] {{0, 0, 0}, {5000, 0, 5000}, {0, 2, 2000}, {5000, 2, 2000}, {1000, 2, 1000}}) {
            SpawnRequest request = new SpawnRequest(
                    null,
                    null,
                    new SpawnRequest.AgentConfig("agent", null, List.of(), null),
                    null,
                    false,
                    null,
                    SpawnRequest.WorkspaceMode.FOLDER,
                    null,
                    false,
                    SpawnRequest.Claim.NONE,
                    new SpawnRequest.Bounds(null, each[1], 0),
                    SpawnRequest.Continuation.NEW,
                    null);
            assertEquals(
                    each[2],
                    new WorkerPlan(
                                    "spn_test",
                                    request,
                                    new SpawnRequest.Asker("ci", false),
                                    null,
                                    null,
                                    policy(each[0], 0),
                                    WorkerPlan.Workspace.of(Path.of("/w")))
                            .wallClockMs());
        }
    }

    @Test
    void shouldBlameTheStopAndNotMemoryWhenAProcessRanOutOfItBefore() throws Exception {
        policy = policy(5000, 0);
        Worker worker = shell();
        say(worker, "one");
        FakeProcess process = walls.next();
        timers.advance(5000);
        process.exit(new ProcessEnd(143, "SIGTERM", true));
        assertEquals("{type=done, exit_code=143, signal=SIGTERM, reason=timeout}", frames.next());
        say(worker, "two");
        process = walls.next();
        worker.cancel();
        process.exit(new ProcessEnd(143, "SIGTERM", true));
        assertEquals("{type=done, exit_code=143, signal=SIGTERM, reason=cancelled}", frames.next());
        say(worker, "three");
        walls.next().exit(new ProcessEnd(137, "SIGKILL", true));
        assertEquals("{type=done, exit_code=137, signal=SIGKILL, reason=out_of_memory}", frames.next());
    }

    @Test
    void shouldEndSessionWhenItsProcessWasEndedForItsDisk() throws Exception {
        Worker worker = shell();
        say(worker, "one");
        say(worker, "two");
        walls.next().exit(new ProcessEnd(137, "SIGKILL", false, "it grew"));
        assertEquals("{type=error, error=it grew, code=DISK_FULL}", frames.next());
        assertEquals(NOT_WORKED_OFF, frames.next());
        assertEquals("{type=done, exit_code=137, signal=SIGKILL, reason=disk_full}", frames.next());
        assertEnd("disk_full");
    }

    @Test
    void shouldKeepReasonWhenWallClockIsReachedAfterCancel() throws Exception {
        policy = policy(5000, 0);
        Worker worker = shell();
        say(worker, "one");
        FakeProcess process = walls.next();
        timers.advance(4999);
        worker.cancel();
        timers.advance(1);
        process.exit(new ProcessEnd(143, "SIGTERM", false));
        assertEquals("{type=done, exit_code=143, signal=SIGTERM, reason=cancelled}", frames.next());
    }

    @Test
    void shouldEndEarlierWhenPolicyHasSmallerIdleTime() throws Exception {
        policy = policy(0, 3000);
        shell();
        timers.advance(3000);
        assertEnd("idle_timeout");
        assertEquals(60_000, policy(0, 90_000).idleMsWithin(60_000));
    }

    @Test
    void shouldSayErrorAndDoneWhenProcessCannotStart() throws Exception {
        Worker worker = shell();
        walls.refusal = new BrigException(ErrorCode.COMMAND_NOT_FOUND, "no agent");
        say(worker, "one");
        assertEquals("{type=error, error=no agent, code=COMMAND_NOT_FOUND}", frames.next());
        assertEquals("{type=done, exit_code=127, reason=start_failed}", frames.next());
        walls.refusal = null;
        say(worker, "two");
        assertEquals("two", walls.next().command.get(1));
    }

    @Test
    void shouldRefuseStartWhenFirstProcessCannotStart() {
        walls.refusal = new BrigException(ErrorCode.COMMAND_NOT_FOUND, "no agent");
        Worker worker = worker("spawn", "null", null, false);
        CompletionException refused =
                assertThrows(CompletionException.class, () -> worker.start().join());
        assertEquals(walls.refusal, refused.getCause());
        assertEquals(1, walls.closed.get());
    }

    @Test
    void shouldRefuseMessageWhenSixtyFourWait() throws Exception {
        Worker worker = shell();
        for (int i = 0; i < 65; i++) {
            say(worker, "message " + i);
        }
        say(worker, "one too many");
        assertEquals("{type=error, error=too many messages wait, code=INPUT_NOT_ACCEPTED}", frames.next());
    }

    @Test
    void shouldWriteMessagesToStdinWhenOneProcessReadsLines() throws Exception {
        Worker worker = worker("spawn", "lines", "first", false);
        worker.start().join();
        say(worker, "second\nthird");
        FakeProcess process = walls.next();
        byte[] expected = "first\nsecond\nthird\n".getBytes(UTF_8);
        assertArrayEquals(expected, process.stdinSeen.readNBytes(expected.length));
        worker.cancel();
        assertEquals(-1, process.stdinSeen.read());
        process.exit(0);
        assertEquals(RUNNING, frames.next());
        assertEquals("{type=done, exit_code=0, reason=cancelled}", frames.next());
        assertEnd("completed");
    }

    @Test
    void shouldNotHangWhenAgentDoesNotReadItsStdin() throws Exception {
        // Scenario: more input than the pipe holds, from an agent that never reads; acks and the ladder still
        // work.
        Worker worker = worker("spawn", "lines", null, false);
        worker.start().join();
        FakeProcess process = walls.next();
        for (int i = 0; i < 100; i++) {
            say(worker, "x".repeat(10_000));
        }
        assertEquals(RUNNING, frames.next());
        assertTrue(frames.next().contains("INPUT_NOT_ACCEPTED"));
        worker.ack(2);
        worker.terminate(EndReason.REQUESTED);
        timers.advance(300);
        assertEquals(List.of("TERM"), process.signals);
    }

    @Test
    void shouldCloseStdinBehindMessageWhenProcessIsForOneMessage() throws Exception {
        Worker worker = worker("message", "lines", null, false);
        worker.start().join();
        say(worker, "only");
        assertEquals("only\n", new String(walls.next().stdinSeen.readAllBytes(), UTF_8));
    }

    @Test
    void shouldRefuseMessageWhenAgentHasNoStdin() throws Exception {
        Worker worker = worker("spawn", "null", "go", false);
        worker.start().join();
        assertEquals("go", walls.next().command.get(1));
        say(worker, "more");
        assertEquals(RUNNING, frames.next());
        assertTrue(frames.next().contains("INPUT_NOT_ACCEPTED"));
    }

    @Test
    void shouldBeDrainedOnlyWhenLastFrameIsAcknowledged() throws Exception {
        Worker worker = shell();
        worker.ack(1);
        assertFalse(drained.await(0, TimeUnit.SECONDS));
        worker.terminate(EndReason.SHUTDOWN);
        assertEnd("shutdown");
        worker.ack(2);
        assertTrue(drained.await(0, TimeUnit.SECONDS));
    }

    private static final String CLAUDE_DONE = "{\"type\":\"result\",\"is_error\":false}\n";

    private Worker talker(String prompt, boolean once) {
        adapter = "claude";
        Worker worker = worker("spawn", "lines", prompt, once);
        worker.start().join();
        return worker;
    }

    private static final Fork FORK =
            new Fork(new ForkedFrom("spn_0123456789abcdefghjkmnpq", 7), null, "What happened.");

    @Test
    void shouldKeepWhatIsThereBeforeEachMessageButTheFirst() throws Exception {
        List<String> kept = new ArrayList<>();
        keeper = outbox -> {
            kept.add("kept");
            if (kept.size() == 2) {
                throw new BrigException(ErrorCode.CHECKPOINT_UNAVAILABLE, "too much");
            }
        };
        Worker worker = talker("one", false);
        FakeProcess agent = walls.next();
        assertTrue(nextInput(agent).contains("one"));
        assertEquals(0, kept.size());
        agent.out.write(CLAUDE_DONE.getBytes(UTF_8));
        say(worker, "two");
        say(worker, "three");
        assertTrue(nextInput(agent).contains("two"));
        assertEquals(1, kept.size());
        agent.out.write(CLAUDE_DONE.getBytes(UTF_8));
        assertTrue(nextInput(agent).contains("three"), "the message goes on");
        assertEquals(2, kept.size());
    }

    @Test
    void shouldKeepWhatIsThereBeforeEachProcessForAMessage() throws Exception {
        List<String> kept = new ArrayList<>();
        keeper = outbox -> kept.add("kept");
        Worker worker = shell();
        say(worker, "one");
        walls.next();
        assertEquals(1, kept.size());
    }

    @Test
    void shouldTellTheAgentOfAForkOnceWhatHappenedBefore() throws Exception {
        fork = FORK;
        Worker worker = talker(null, false);
        assertEquals(RUNNING, frames.next());
        assertEquals(
                "{type=forked, forked_from={spawn_id=spn_0123456789abcdefghjkmnpq, seq=7}, conversation=summary,"
                        + " summary=What happened.}",
                frames.next());
        say(worker, "one");
        FakeProcess agent = walls.next();
        String first = nextInput(agent);
        assertTrue(first.contains("What happened.\\n\\none"), first);
        agent.out.write(CLAUDE_DONE.getBytes(UTF_8));
        say(worker, "two");
        String second = nextInput(agent);
        assertTrue(second.contains("two") && !second.contains("happened"), second);
    }

    @Test
    void shouldHaveTheAgentOfAForkGoOnWithACopyOfItsOwnSession() throws Exception {
        fork = new Fork(FORK.from(), "ses_1", FORK.summary());
        Worker worker = talker(null, false);
        assertEquals(RUNNING, frames.next());
        assertEquals(
                "{type=forked, forked_from={spawn_id=spn_0123456789abcdefghjkmnpq, seq=7}, conversation=agent}",
                frames.next());
        say(worker, "one");
        FakeProcess agent = walls.next();
        assertEquals(List.of("agent", "--copy", "ses_1"), agent.command);
        String first = nextInput(agent);
        assertTrue(first.contains("one") && !first.contains("happened"), first);
    }

    @Test
    void shouldTellAPlainProgramNothingOfWhatHappenedBefore() throws Exception {
        fork = FORK;
        Worker worker = shell();
        assertEquals(
                "{type=forked, forked_from={spawn_id=spn_0123456789abcdefghjkmnpq, seq=7}, conversation=none}",
                frames.next());
        say(worker, "one");
        assertEquals(List.of("agent", "one", ""), walls.next().command);
    }

    private static String nextInput(FakeProcess process) throws Exception {
        StringBuilder line = new StringBuilder();
        for (int b = process.stdinSeen.read(); b != '\n'; b = process.stdinSeen.read()) {
            assertTrue(b >= 0, "standard input was closed");
            line.append((char) b);
        }
        return line.toString();
    }

    private void agentSays(FakeProcess process, String line) throws Exception {
        process.out.write(line.getBytes(UTF_8));
        process.out.flush();
    }

    private void assertTurnDone(String done) throws Exception {
        assertTrue(frames.next().startsWith("{type=usage"));
        assertEquals(done, frames.next());
    }

    @Test
    void shouldHandOverTheNextMessageWhenTheAgentHasWorkedOffTheLast() throws Exception {
        Worker worker = talker("one", false);
        say(worker, "two");
        FakeProcess process = walls.next();
        assertEquals(RUNNING, frames.next());
        assertTrue(nextInput(process).contains("\"text\":\"one\""));
        assertEquals(0, process.stdinSeen.available());
        agentSays(process, CLAUDE_DONE);
        assertTurnDone("{type=done, exit_code=0, usage={input_tokens=0, output_tokens=0}}");
        assertTrue(nextInput(process).contains("\"text\":\"two\""));
        agentSays(process, CLAUDE_DONE);
        assertTurnDone("{type=done, exit_code=0, usage={input_tokens=0, output_tokens=0}}");
        say(worker, "three");
        assertTrue(nextInput(process).contains("\"text\":\"three\""));
        assertTrue(process.signals.isEmpty());
    }

    @Test
    void shouldKeepTheProcessWhenTheAgentObeysACancel() throws Exception {
        Worker worker = talker("one", false);
        FakeProcess process = walls.next();
        frames.next();
        nextInput(process);
        worker.cancel();
        assertTrue(nextInput(process).contains("interrupt"));
        agentSays(process, CLAUDE_DONE);
        assertTurnDone("{type=done, exit_code=1, reason=cancelled, usage={input_tokens=0, output_tokens=0}}");
        // When the next line has become a frame, what follows the end of the turn is done.
        agentSays(process, "{\"type\":\"news\"}\n");
        assertTrue(frames.next().startsWith("{type=raw"));
        timers.advance(100_000);
        worker.cancel();
        say(worker, "two");
        assertTrue(nextInput(process).contains("two"));
        assertTrue(process.signals.isEmpty());
    }

    @Test
    void shouldEndTheProcessWhenTheAgentDoesNotObeyACancel() throws Exception {
        Worker worker = talker("one", false);
        FakeProcess process = walls.next();
        frames.next();
        nextInput(process);
        worker.cancel();
        nextInput(process);
        timers.advance(2300);
        assertEquals(-1, process.stdinSeen.read());
        assertEquals(List.of("TERM"), process.signals);
        process.exit(new ProcessEnd(143, "SIGTERM", false));
        assertEquals("{type=done, exit_code=143, signal=SIGTERM, reason=cancelled}", frames.next());
        assertEnd("completed");
    }

    @Test
    void shouldCancelAMessageThatTakesTooLongAndSaySo() throws Exception {
        Worker worker = talker("one", false);
        FakeProcess process = walls.next();
        frames.next();
        nextInput(process);
        timers.advance(3_599_999);
        assertEquals(0, process.stdinSeen.available());
        timers.advance(1);
        assertTrue(nextInput(process).contains("interrupt"));
        assertEquals(
                "{type=error, error=the agent worked on the message for 3600 s (worker.turnMs): it is cancelled, code=TURN_TIMEOUT}",
                frames.next());
        agentSays(process, CLAUDE_DONE);
        assertTurnDone("{type=done, exit_code=1, reason=cancelled, usage={input_tokens=0, output_tokens=0}}");
        say(worker, "two");
        assertTrue(nextInput(process).contains("two"), "the session goes on");
        agentSays(process, CLAUDE_DONE);
        assertTurnDone("{type=done, exit_code=0, usage={input_tokens=0, output_tokens=0}}");
    }

    @Test
    void shouldCloseStandardInputAtOnceWhenAnIdleAgentIsTerminated() throws Exception {
        Worker worker = talker(null, false);
        FakeProcess process = walls.next();
        frames.next();
        worker.terminate(EndReason.REQUESTED);
        assertEquals(-1, process.stdinSeen.read());
        process.exit(0);
        assertEnd("requested");
    }

    @Test
    void shouldCloseStandardInputBehindTheLastWordWhenABusyAgentIsTerminated() throws Exception {
        Worker worker = talker("one", false);
        FakeProcess process = walls.next();
        frames.next();
        nextInput(process);
        worker.terminate(EndReason.REQUESTED);
        assertTrue(nextInput(process).contains("interrupt"));
        agentSays(process, CLAUDE_DONE);
        assertTurnDone("{type=done, exit_code=1, reason=cancelled, usage={input_tokens=0, output_tokens=0}}");
        assertEquals(-1, process.stdinSeen.read());
        process.exit(0);
        assertEnd("requested");
    }

    @Test
    void shouldLetTheAgentFinishWhenOnceAndItsMessageIsWorkedOff() throws Exception {
        talker("one", true);
        FakeProcess process = walls.next();
        frames.next();
        nextInput(process);
        agentSays(process, CLAUDE_DONE);
        assertTurnDone("{type=done, exit_code=0, usage={input_tokens=0, output_tokens=0}}");
        assertEquals(-1, process.stdinSeen.read());
        timers.advance(4000);
        assertTrue(process.signals.isEmpty());
        process.exit(0);
        assertEnd("completed");
    }

    @Test
    void shouldSaySoWhenAnIdleAgentDies() throws Exception {
        talker(null, false);
        FakeProcess process = walls.next();
        frames.next();
        process.exit(1);
        assertEquals(
                "{type=error, error=the agent's process ended by itself, with exit code 1, code=WORKER_LOST}",
                frames.next());
        assertEnd("failed");
    }

    @Test
    void shouldGiveATerminalKeysAndSizesAndSayOnceThatItHasNoRoom() throws Exception {
        tty = new TerminalSize(80, 24);
        Worker worker = worker("spawn", "lines", null, false);
        worker.start();
        assertEquals("{type=state, state=running}", frames.next());
        FakeWalls.FakeProcess process = walls.started.take();
        assertEquals("{type=tty, cols=80, rows=24}", frames.next());
        say(worker, "no message");
        assertTrue(frames.next().contains("on a terminal: send keys, code=INPUT_NOT_ACCEPTED"));
        worker.cancel();
        worker.keys("a");
        worker.resize(new TerminalSize(100, 30));
        assertEquals("{type=tty, cols=100, rows=30}", frames.next());
        assertArrayEquals(new byte[] {'k', 0, 1, 'a', 's', 0, 4, 0, 100, 0, 30}, process.stdinSeen.readNBytes(11));
        worker.keys("x".repeat(16 * 1024));
        // Its first byte is read: the rest waits for room in the pipe, so nothing leaves the queue from here on.
        assertEquals('k', process.stdinSeen.read());
        for (int i = 0; i < 40; i++) {
            worker.keys("x".repeat(16 * 1024));
        }
        assertTrue(frames.next().contains("keys are lost, code=INPUT_NOT_ACCEPTED"));
        process.exit(3);
        assertEquals("{type=done, exit_code=3}", frames.next());
        assertEquals("{type=state, state=terminated, reason=completed}", frames.next());
        assertEquals(List.of(), process.signals);
    }
}
