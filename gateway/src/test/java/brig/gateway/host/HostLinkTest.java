package brig.gateway.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.deploy.FakeProcesses;
import brig.gateway.deploy.Processes;
import brig.gateway.deploy.RemoteSetup;
import brig.protocol.control.Finding;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each transition of a link, with programs that a test scripts. */
class HostLinkTest {
    private final LinkBench bench = new LinkBench();
    private final FakeProcesses processes = bench.processes;

    @Test
    void shouldLogInOnceAndBeUpWhenTheWorkerAgentAnswers() {
        bench.begin();
        assertEquals("STARTING", bench.state());
        assertTrue(bench.isOpen());
        bench.control().handleUp("one");
        assertEquals("UP", bench.state());
        assertEquals(List.of("up box one"), bench.told);
        assertEquals("1.0", bench.link.version());
        assertEquals(1, processes.count(" -M "));
        processes.started.stream()
                .filter(one -> !one.command.contains(" -M "))
                .forEach(one -> assertTrue(one.command.contains("ProxyCommand=false"), one.command));
    }

    @Test
    void shouldEndTheMasterOfAKilledGatewayBeforeItsOwn() {
        bench.begin();
        assertTrue(processes.started.getFirst().command.contains("-O exit"));
        assertEquals("box.ctl after 1", bench.cleared.getFirst());
        assertTrue(processes.started.get(1).command.contains(" -M "));
    }

    @Test
    void shouldLookForTheMasterUntilItIsThere() {
        processes.script("-O check", 255, "", "");
        bench.begin();
        assertEquals("CONNECTING", bench.state());
        bench.time.pass(HostLink.LOOK_FOR_MASTER_MS);
        processes.settle();
        assertEquals(2, processes.count("-O check"));
        processes.script("-O check", 0, "", "");
        bench.time.pass(HostLink.LOOK_FOR_MASTER_MS);
        processes.settle();
        assertTrue(bench.isOpen());
    }

    @Test
    void shouldGiveUpALoginThatTakesTooLong() {
        processes.script("-O check", 255, "", "");
        bench.begin();
        for (long ms = 0; ms <= HostLink.CONNECT_MS; ms += HostLink.LOOK_FOR_MASTER_MS) {
            bench.time.pass(HostLink.LOOK_FOR_MASTER_MS);
            processes.settle();
        }
        assertEquals("DOWN", bench.state());
        assertTrue(bench.reason().contains("the login took too long"));
        assertTrue(processes.started.get(1).killed);
    }

    @Test
    void shouldBringThePayloadWhenItIsAbsent() {
        processes.script("brig-system", 0, LinkBench.EMPTY, "");
        bench.begin();
        assertEquals("DEPLOYING", bench.state());
        FakeProcesses.Started upload = processes.last("gzip -dc");
        assertEquals(new Processes.Input.OfFile(Path.of("/state/payload.tar.gz")), upload.input);
        upload.listener.handleSent(450);
        assertEquals(45, bench.link.status().percent());
        upload.exit(0, "noise\nbrig-deployed " + LinkBench.PAYLOAD + "\n{\"name\":\"home\",\"status\":\"ok\"}\n", "");
        processes.settle();
        assertTrue(bench.isOpen());
        assertEquals(0, processes.count("'check'"));
    }

    @Test
    void shouldWaitForAnUploadAsLongAsItMoves() {
        processes.script("brig-system", 0, LinkBench.EMPTY, "");
        bench.begin();
        FakeProcesses.Started upload = processes.last("gzip -dc");
        for (int part = 1; part < 5; part++) {
            bench.time.pass(RemoteSetup.STALL_MS - 1);
            upload.listener.handleSent(part);
        }
        assertEquals("DEPLOYING", bench.state());
        bench.time.pass(RemoteSetup.STALL_MS);
        assertTrue(bench.reason().contains("the upload took too long"));
        assertTrue(upload.killed);
    }

    @Test
    void shouldSayWhyAnUploadFailed() {
        processes.script("brig-system", 0, LinkBench.EMPTY, "");
        processes.script("gzip -dc", 1, "", "tar: write error: No space left on device\n");
        bench.begin();
        assertEquals("DOWN", bench.state());
        assertTrue(bench.reason().contains("No space left on device"), bench.reason());
    }

    @ParameterizedTest
    @CsvSource({
        "brig-system Linux, brig-system Darwin, system",
        "brig-machine x86_64, brig-machine riscv64, architecture",
        "glibc 2.36, , libc",
        "9999999, 1024, disk"
    })
    void shouldBeUnfitWhenTheHostIsNoneForThePayload(String is, String other, String finding) {
        processes.script("brig-system", 0, LinkBench.EMPTY.replace(is, other == null ? "" : other), "");
        bench.begin();
        assertEquals("UNFIT", bench.state());
        assertTrue(bench.reason().startsWith(finding), bench.reason());
        assertFalse(bench.isOpen());
    }

    @Test
    void shouldBeUnfitWithTheHostsOwnFindingsWhenTheWorkerAgentDoesNotStart() {
        processes.script(
                "'start'",
                1,
                "{\"code\":\"SANDBOX_UNAVAILABLE\",\"error\":\"no bubblewrap\",\"mend\":\"apt install bubblewrap\"}\n",
                "");
        processes.script("'check'", 0, "{\"name\":\"bubblewrap\",\"status\":\"failed\",\"detail\":\"absent\"}\n", "");
        bench.begin();
        assertEquals("UNFIT", bench.state());
        assertEquals("worker-agent: no bubblewrap", bench.reason());
        assertEquals("apt install bubblewrap", bench.link.status().mend());
        List<String> names =
                join(bench.link.check()).stream().map(Finding::name).toList();
        assertEquals(List.of("ssh", "worker-agent", "bubblewrap"), names);
        processes.script("'start'", 0, LinkBench.STARTED, "");
        bench.time.pass(Attempts.RETRY_PERSON_MS);
        processes.settle();
        assertEquals("UNFIT", bench.state(), "a host that was unfit must pass its own checks first");
        processes.script("'check'", 0, "{\"name\":\"bubblewrap\",\"status\":\"ok\"}\n", "");
        processes.script("'start'", 0, LinkBench.STARTED, "");
        bench.time.pass(Attempts.RETRY_PERSON_MS);
        processes.settle();
        assertTrue(bench.isOpen());
        assertEquals(1, processes.count(" -M "));
    }

    @Test
    void shouldBeUnfitWhenItFailsItsOwnChecksAfterAnUpload() {
        processes.script("brig-system", 0, LinkBench.EMPTY, "");
        String absent = "{\"name\":\"bubblewrap\",\"status\":\"failed\",\"detail\":\"absent\"}\n";
        processes.script("gzip -dc", 0, "brig-deployed " + LinkBench.PAYLOAD + "\n" + absent, "");
        processes.script("'check'", 0, absent, "");
        bench.begin();
        assertEquals("UNFIT", bench.state());
        assertEquals("bubblewrap: absent", bench.reason());
        processes.script("brig-system", 0, LinkBench.DEPLOYED, "");
        bench.time.pass(Attempts.RETRY_PERSON_MS);
        processes.settle();
        assertEquals("UNFIT", bench.state());
        assertEquals(0, processes.count("'start'"));
    }

    @Test
    void shouldCheckANewHostAlsoWhereSomebodyBroughtThePayload() {
        processes.script("'check'", 0, "{\"name\":\"bubblewrap\",\"status\":\"failed\",\"detail\":\"absent\"}\n", "");
        bench.link.requireProof();
        bench.begin();
        assertEquals("UNFIT", bench.state());
        assertEquals(0, processes.count("'start'"));
    }

    @Test
    void shouldBeDownWhenTheWorkerAgentDoesNotStartOnAFitHost() {
        processes.script(
                "'start'",
                1,
                "{\"code\":\"WORKER_AGENT_UNAVAILABLE\",\"error\":\"another start takes too long\",\"mend\":\"try again\"}\n",
                "");
        bench.begin();
        assertEquals("DOWN", bench.state());
        assertEquals("another start takes too long", bench.reason());
    }

    @Test
    void shouldBeginAnewWithAGreaterEpochWhenTheMasterEnds() {
        bench.up();
        long first = bench.epoch();
        bench.master().exit(255, "", "Connection to box closed by remote host.\n");
        processes.settle();
        assertEquals("DOWN", bench.state());
        assertFalse(bench.isOpen());
        assertEquals(List.of("up box instance", "down box"), bench.told);
        bench.time.pass(Attempts.RETRY_MS_MIN);
        processes.settle();
        assertTrue(bench.epoch() > first);
        bench.control().handleUp("instance");
        assertEquals("UP", bench.state());
        assertEquals(2, processes.count(" -M "));
    }

    @Test
    void shouldBackOffUpToHalfAMinuteAndBeginSmallAgainWhenALinkHeld() {
        bench.begin();
        for (long expected : new long[] {1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000}) {
            bench.master().exit(255, "", "kex_exchange_identification: read: Connection reset by peer\n");
            processes.settle();
            Long retryAtMs = bench.link.status().retryAtMs();
            assertEquals(expected, (retryAtMs == null ? 0 : retryAtMs) - bench.time.nowMs());
            bench.time.pass(expected);
            processes.settle();
        }
        bench.control().handleUp("instance");
        bench.time.pass(HostLink.STEADY_MS);
        bench.master().exit(255, "", "");
        Long retryAtMs = bench.link.status().retryAtMs();
        assertEquals(1_000, (retryAtMs == null ? 0 : retryAtMs) - bench.time.nowMs());
    }

    @Test
    void shouldTryAHostThatIsAwayEachSecondForAnHourAndTellOnce() {
        bench.up();
        bench.master().exit(255, "", "Timeout, server box not responding.\n");
        processes.settle();
        LinkStatus lost = bench.link.status();
        assertEquals("DOWN", bench.state());
        int hasty = 0;
        for (int second = 1; second <= 3600; second++) {
            processes.script("-O check", 255, "", "");
            bench.time.pass(Attempts.RETRY_MS_MIN);
            processes.settle();
            assertEquals("DOWN", bench.state());
            hasty += bench.master().command.contains("ConnectTimeout=2") ? 1 : 0;
            bench.master().exit(255, "", "ssh: connect to host box port 22: No route to host\n");
            processes.settle();
        }
        assertEquals(3600, hasty);
        assertEquals(lost.sinceMs(), bench.link.status().sinceMs());
        processes.script("-O check", 0, "", "");
        bench.time.pass(Attempts.RETRY_MS_MIN);
        processes.settle();
        assertEquals("UP", bench.state());
        assertEquals(List.of("up box instance", "down box", "up box instance"), bench.told);
    }

    private long pauseMs() {
        Long retryAtMs = bench.link.status().retryAtMs();
        return (retryAtMs == null ? 0 : retryAtMs) - bench.time.nowMs();
    }

    /** Lets the attempt fail after that time, and the next one begin. */
    private void failAfter(long ms, String said) {
        bench.time.pass(ms);
        bench.master().exit(255, "", said + "\n");
        processes.settle();
        assertEquals("DOWN", bench.state());
        bench.time.pass(pauseMs());
        processes.settle();
    }

    @Test
    void shouldTryAtOnceAgainWhenAnAttemptWasLongEnough() {
        processes.script("-O check", 255, "", "");
        bench.begin();
        bench.time.pass(2_000);
        bench.master().exit(255, "", "ssh: connect to host box port 22: Connection timed out\n");
        assertEquals(Attempts.PAUSE_MS, pauseMs());
    }

    @Test
    void shouldBePatientNowAndThenWithAHostThatIsThereAndSlow() {
        processes.script("-O check", 255, "", "");
        bench.begin();
        List<Integer> patient = new ArrayList<>();
        for (int i = 0; i < 14; i++) {
            if (bench.master().command.contains("ConnectTimeout=15")) {
                patient.add(i);
            }
            failAfter(2_000, "Connection timed out during banner exchange");
        }
        assertEquals(List.of(1, 7, 13), patient);
    }

    @Test
    void shouldBePatientWithAHostThatNobodyHasLoggedInTo() {
        processes.script("-O check", 255, "", "");
        bench.link.requireProof();
        bench.begin();
        assertTrue(bench.master().command.contains("ConnectTimeout=15"), bench.master().command::toString);
    }

    @Test
    void shouldWaitAsLongAsALoginTook() {
        processes.script("-O check", 255, "", "");
        bench.begin();
        bench.time.pass(4_000);
        processes.settle();
        processes.script("-O check", 0, "", "");
        bench.time.pass(HostLink.LOOK_FOR_MASTER_MS);
        processes.settle();
        failAfter(0, "Timeout, server box not responding.");
        assertTrue(bench.master().command.contains("ConnectTimeout=8"), bench.master().command::toString);
    }

    @Test
    void shouldTryAHostWithSessionsEachSecondHoweverOftenItIsLost() {
        bench.isNeeded = true;
        bench.up();
        for (int i = 0; i < 20; i++) {
            bench.master().exit(255, "", "Connection to box closed by remote host.\n");
            processes.settle();
            assertEquals("DOWN", bench.state());
            assertTrue(pauseMs() <= Attempts.RETRY_MS_MIN, () -> pauseMs() + " ms");
            bench.time.pass(pauseMs());
            processes.settle();
            bench.control().handleUp("instance");
            assertEquals("UP", bench.state());
        }
        bench.master().exit(255, "", "user@box: Permission denied (publickey).\n");
        assertEquals(Attempts.RETRY_PERSON_MS, pauseMs(), "which could lock an account");
        bench.time.pass(pauseMs());
        assertEquals("CONNECTING", bench.state());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Host key verification failed.|the host's key is not known|ssh asks for the key there|true",
                "No ED25519 host key is known for box and you have requested strict checking.|the host's key is not known|in a terminal|true",
                "WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!|the host's key has changed|ssh-keygen -R|true",
                "user@box: Permission denied (publickey).|does not accept the login|run: brig host add box user@box again|true",
                "Received disconnect from 1.2.3.4: 2: Too many authentication failures|more keys|IdentitiesOnly|true",
                "ssh: Could not resolve hostname box: Name or service not known|name is not known|check the name|false",
                "ssh: connect to host box port 22: Connection refused|nobody listens|sshd|false",
                "ssh: connect to host box port 22: Connection timed out|does not answer|check that it is on|false",
                "command-line: line 0: Bad configuration option: foo|its options|correct them|true",
                "some words of a later ssh|ssh ended: some words|try by hand|false",
                "ssh cannot be started: there is no such file|cannot be started|install|true"
            })
    void shouldSayWhatIsWrongAndWhatToDoWhenTheLoginFails(
            String said, String reason, String mend, boolean needsPerson) {
        processes.script("-O check", 255, "", "");
        bench.begin();
        bench.master().exit(255, "", said + "\r\n");
        assertEquals("DOWN", bench.state());
        assertTrue(bench.reason().contains(reason), bench.reason());
        assertTrue(
                String.valueOf(bench.link.status().mend()).contains(mend),
                bench.link.status().mend());
        Long retryAtMs = bench.link.status().retryAtMs();
        assertEquals(
                needsPerson ? Attempts.RETRY_PERSON_MS : Attempts.RETRY_MS_MIN,
                (retryAtMs == null ? 0 : retryAtMs) - bench.time.nowMs());
    }

    @Test
    void shouldRunOneProgramForAllConnectionsWhenForwardingIsForbidden() {
        bench.begin();
        for (int miss = 0; miss < HostLink.MISSES_MAX; miss++) {
            assertFalse(bench.joined);
            bench.control().handleDown();
        }
        processes.settle();
        assertTrue(bench.joined);
        assertTrue(processes.last("-O cancel").command.contains(LinkBench.SOCKET));
        assertEquals(List.of("joined brig-host' 'join' '" + LinkBench.SOCKET + "'"), bench.told);
        bench.control().handleUp("one");
        assertEquals("UP", bench.state());
        assertTrue(bench.reason().contains("forbids the forwarding"));
        bench.master().exit(255, "", "");
        assertTrue(bench.jointClosed);
    }

    @Test
    void shouldRunOneProgramForAllConnectionsWhenTheForwardingItselfFails() {
        processes.script("-O forward", 255, "", "mux_client_forward: forwarding request failed");
        bench.begin();
        assertTrue(bench.joined);
    }

    @Test
    void shouldSayWhyTheProgramForAllConnectionsEnded() {
        processes.script("-O forward", 255, "", "");
        bench.up();
        bench.jointEnded.accept("the host sends a second end of a connection");
        bench.time.pass(HostLink.LOOK_FOR_MASTER_MS);
        assertEquals("DOWN", bench.state());
        assertEquals("all connections ended: the host sends a second end of a connection", bench.reason());
        assertTrue(bench.jointClosed);
        bench.jointEnded.accept("of an earlier attempt");
        bench.time.pass(Attempts.RETRY_MS_MIN);
        processes.settle();
        bench.control().handleUp("instance");
        assertEquals("UP", bench.state());
    }

    @Test
    void shouldSayThatNobodyAnswersWhenTheProgramForAllConnectionsEndsFirst() {
        processes.script("-O forward", 255, "", "");
        bench.begin();
        bench.jointEnded.accept("the program there ended");
        for (int miss = 0; miss < HostLink.MISSES_MAX; miss++) {
            bench.control().handleDown();
        }
        assertEquals("STARTING", bench.state());
        bench.time.pass(HostLink.LOOK_FOR_MASTER_MS);
        assertEquals("DOWN", bench.state());
        assertEquals("the worker-agent there does not answer: the program there ended", bench.reason());
    }

    @Test
    void shouldLetSshSayWhyItEndedBeforeItsProgramDoes() {
        processes.script("-O forward", 255, "", "");
        bench.up();
        bench.jointEnded.accept("the program there ended");
        bench.master().exit(255, "", "Timeout, server box not responding.");
        bench.time.pass(HostLink.LOOK_FOR_MASTER_MS);
        assertTrue(bench.reason().contains("does not answer"), bench.reason());
    }

    @Test
    void shouldBeDownWhenNobodyAnswersEitherWay() {
        bench.begin();
        for (int miss = 0; miss < 2 * HostLink.MISSES_MAX; miss++) {
            bench.control().handleDown();
            processes.settle();
        }
        assertEquals("DOWN", bench.state());
        assertTrue(bench.reason().contains("does not answer"));
        assertTrue(bench.jointClosed);
    }

    @Test
    void shouldTakeSilenceForAForbiddenForwarding() {
        bench.begin();
        bench.time.pass(HostLink.ANSWER_MS);
        processes.settle();
        assertTrue(bench.joined);
    }

    @Test
    void shouldStartTheWorkerAgentAgainWhenItAloneEnded() {
        bench.up();
        bench.control().handleDown();
        assertEquals("STARTING", bench.state());
        assertFalse(bench.isOpen());
        bench.time.pass(HostLink.LOOK_FOR_MASTER_MS);
        processes.settle();
        bench.control().handleUp("another");
        assertEquals(List.of("up box instance", "down box", "up box another"), bench.told);
        assertEquals(1, processes.count(" -M "));
        assertEquals(1, processes.count("-O forward"));
    }

    @Test
    void shouldBeUpWhenTheControlLinkConnectedBeforeItWasExpected() {
        bench.up();
        bench.control().handleDown();
        bench.control().handleUp("early");
        assertEquals("STARTING", bench.state());
        bench.time.pass(HostLink.LOOK_FOR_MASTER_MS);
        processes.settle();
        assertEquals("UP", bench.state());
        assertEquals("up box early", bench.told.getLast());
    }

    @Test
    void shouldUpgradeWithoutAnEndOfTheLink() {
        bench.up();
        processes.script("brig-system", 0, LinkBench.EMPTY, "");
        CompletionStage<Void> upgraded = bench.link.upgrade();
        processes.settle();
        FakeProcesses.Started upload = processes.last("gzip -dc");
        upload.listener.handleSent(500);
        assertEquals("UP", bench.state());
        assertEquals(50, bench.link.status().percent());
        upload.exit(0, "brig-deployed " + LinkBench.PAYLOAD, "");
        processes.settle();
        assertTrue(upgraded.toCompletableFuture().isDone());
        assertEquals(null, bench.link.status().percent());
        assertEquals(List.of("up box instance"), bench.told);
    }

    @Test
    void shouldGoOnWhenAnUpgradeFails() {
        bench.up();
        processes.script("brig-system", 0, LinkBench.EMPTY, "");
        processes.script("gzip -dc", 1, "", "disk full");
        CompletionStage<Void> upgraded = bench.link.upgrade();
        processes.settle();
        assertThrows(CompletionException.class, () -> join(upgraded));
        assertEquals("UP", bench.state());
    }

    @Test
    void shouldStopAStepThatHangs() {
        processes.hang("'start'");
        bench.begin();
        bench.time.pass(RemoteSetup.START_MS);
        assertTrue(processes.last("'start'").killed);
        assertEquals("DOWN", bench.state());
        assertTrue(bench.reason().contains("took too long"));
    }

    @Test
    void shouldNotHearWhatBelongsToAnEarlierAttempt() {
        processes.hang("brig-system");
        bench.begin();
        FakeProcesses.Started look = processes.last("brig-system");
        FakeProcesses.Started master = bench.master();
        master.exit(255, "", "");
        look.exit(0, LinkBench.DEPLOYED, "");
        processes.settle();
        assertEquals("DOWN", bench.state());
        bench.time.pass(Attempts.RETRY_MS_MIN);
        processes.settle();
        assertEquals("CONNECTING", bench.state());
    }

    @Test
    void shouldWatchAMasterThatIsTheUsers() {
        LinkBench theirs = new LinkBench("~/.ssh/%C").up();
        assertEquals(0, theirs.processes.count(" -M "));
        assertEquals(0, theirs.processes.count("-O exit"));
        assertEquals(1, theirs.processes.count("-O cancel"), "what a killed gateway left in it");
        assertTrue(theirs.processes.last("-O forward").command.contains("-S ~/.ssh/%C"));
        theirs.time.pass(HostLink.WATCH_MS);
        theirs.processes.settle();
        assertEquals("UP", theirs.state());
        theirs.processes.script("-O check", 255, "", "No such file");
        theirs.time.pass(HostLink.WATCH_MS);
        theirs.processes.settle();
        assertEquals("DOWN", theirs.state());
        assertTrue(theirs.reason().contains("controlPath"), theirs.reason());
        assertEquals(List.of("up box instance", "down box"), theirs.told);
    }

    @Test
    void shouldEndEverythingWhenItIsClosed() {
        bench.up();
        bench.link.close();
        assertTrue(bench.master().killed);
        processes.settle();
        assertEquals(List.of("up box instance", "down box", "closed"), bench.told);
        bench.time.pass(10 * Attempts.RETRY_PERSON_MS);
        assertEquals(0, bench.time.pending());
        assertFalse(bench.isOpen());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "no line end",
                "{",
                "[1]",
                "{\"socket\":7}",
                "{\"socket\":\"relative\"}",
                "{\"socket\":\"/a:b\"}",
                "{\"socket\":\"/a%b\"}",
                "{\"socket\":\"/a\\nb\"}",
                "{\"version\":\"1\"}",
                "user@box's password: ",
                "{\"socket\":\"/a\",\"socket\":\"/b\"}"
            })
    void shouldBeDownWhenAHostAnswersWhatIsNoAnswer(String said) {
        processes.script("'start'", 0, said, "");
        bench.begin();
        assertEquals("DOWN", bench.state());
        assertEquals(0, processes.count("-O forward"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "brig-end", "brig-home relative\nbrig-end", "brig-home /x\nbrig-system Linux"})
    void shouldBeDownWhenALookTellsNothing(String said) {
        processes.script("brig-system", 0, said, "");
        bench.begin();
        assertEquals("DOWN", bench.state());
    }

    @Test
    void shouldOnlyLogInToAHostForTunnels() {
        LinkBench tunnels = new LinkBench("", true);
        tunnels.begin();
        assertEquals("UP", tunnels.state());
        assertEquals("for tunnels only", tunnels.reason());
        assertTrue(tunnels.link.way() != null);
        assertFalse(tunnels.isOpen());
        assertEquals(0, tunnels.processes.count(" -T -- "), "nothing ran there");
        tunnels.master().exit(255, "", "Connection closed");
        assertEquals("DOWN", tunnels.state());
        tunnels.time.pass(Attempts.RETRY_MS_MIN);
        tunnels.processes.settle();
        assertEquals("UP", tunnels.state());
        assertEquals(0, tunnels.processes.count(" -T -- "));
    }

    private static List<String> checkForTunnels(String said, int code, int sftp) {
        LinkBench tunnels = new LinkBench("", true);
        tunnels.processes.script("brig-shell", code, said, "");
        tunnels.processes.script("-s -- user@box sftp", sftp, "", "subsystem request failed on channel 0\n");
        tunnels.begin();
        CompletionStage<List<Finding>> checked = tunnels.link.check();
        tunnels.processes.settle();
        return join(checked).stream()
                .map(one -> one.name() + " " + one.status())
                .toList();
    }

    @Test
    void shouldSayWhatTunnelsNeedThere() {
        String all = "hello\nbrig-shell /bin/bash\nbrig-has .bashrc\nbrig-has .ssh\nbrig-has namespaces\nbrig-end\n";
        assertEquals(
                List.of("ssh OK", "sh OK", "sftp OK", "unshare OK", "~/.ssh OK", "~/.bashrc OK"),
                checkForTunnels(all, 0, 0));
        assertEquals(
                List.of("ssh OK", "sh OK", "sftp FAIL", "unshare WARN", "~/.ssh WARN", "~/.bashrc WARN"),
                checkForTunnels("brig-shell /bin/bash\nbrig-end\n", 0, 255));
        assertEquals(
                List.of("ssh OK", "sh OK", "sftp OK", "unshare WARN", "~/.ssh WARN", "login shell WARN"),
                checkForTunnels("brig-shell \u001b[31m" + "x".repeat(60_000) + "\nbrig-end\n", 0, 0));
        assertEquals(List.of("ssh OK", "sh FAIL", "sftp OK"), checkForTunnels("brig-has .ssh", 1, 0));
    }

    @Test
    void shouldSayThatAHostForTunnelsDoesNotAnswer() {
        LinkBench tunnels = new LinkBench("", true).begin();
        CompletionStage<List<Finding>> checked = tunnels.link.check();
        tunnels.time.pass(RemoteSetup.CHECK_MS);
        tunnels.processes.settle();
        assertEquals(
                "the check of the host took too long", join(checked).getLast().detail());
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
