package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The link to a host is lost in the middle of a stream: the agent there goes on, and no frame is lost or doubled. */
@Timeout(300)
@Order(1)
class RemoteLinkTest {
    /** Of a thousand bytes each: more than a worker-agent keeps in memory. */
    private static final int LINES = 4000;

    /** 16 to 21 s where the machine has nothing else to do. TCP alone needs a quarter of an hour. */
    private static final long SEEN_MS_MAX = 60_000;

    /** Two seconds, where the machine has nothing else to do. A pause that grows with each loss reaches 30. */
    private static final long RESUMED_MS_MAX = 25_000;

    private static SshHost host;
    private static BadLink link;
    private static RemoteSite site;

    @BeforeAll
    static void start() throws IOException {
        host = SshHost.start("build1");
        link = host.through(20);
        site = RemoteSite.start(Map.of(), host);
    }

    @AfterAll
    static void stop() throws IOException {
        if (site != null) {
            site.close();
        }
        if (link != null) {
            link.close();
        }
    }

    /** An agent that writes numbered lines: some, many once there is a file {@code go}, and the last one once there is {@code end}. */
    private static final class Writer {
        private static final String SCRIPT = "line() { printf 'line %d %0990d\\n' $1 0; };"
                + " await() { until [ -e $1 ]; do sleep 0.05; done; };"
                + " line 1; await go; for i in $(seq 2 " + LINES
                + "); do line $i; done; touch written; await end; line "
                + (LINES + 1);

        private final SshHost on;
        private final Spawned spawned;
        private final Frames frames = new Frames();

        Writer(RemoteSite at, SshHost on) throws IOException {
            this.on = on;
            at.awaitUp();
            spawned = at.shell(on, SCRIPT);
            try (Wire watcher = spawned.attach("watcher")) {
                new Frames()
                        .readUntil(watcher, frame -> frame.text("content", "").contains("line 1 "));
            }
        }

        private Path file(String name) {
            return RemoteSite.workspace(on, spawned).resolve(name);
        }

        void tell(String name) throws IOException {
            on.give(Files.createFile(file(name)));
        }

        void writeOn() throws IOException {
            tell("go");
            Await.until("the agent has written all but the last line", () -> Files.exists(file("written")));
        }

        boolean isUnreachable() throws IOException {
            return spawned.view().text("state").equals("unreachable");
        }

        /** Reads all from where it was, to the end; then all again, as somebody else does. */
        void judge(Wire captain) throws IOException {
            tell("end");
            frames.readAll(captain);
            assertEquals(0, frames.missing());
            StringBuilder expected = new StringBuilder();
            for (int i = 1; i <= LINES + 1; i++) {
                expected.append("line ")
                        .append(i)
                        .append(' ')
                        .append("0".repeat(990))
                        .append('\n');
            }
            assertEquals(expected.toString(), frames.text());
            assertEquals("0", String.valueOf(frames.ofType("done").getFirst().number("exit_code", -1)));
            assertEquals(1, frames.ofType("done").size());
            try (Wire watcher = spawned.attach("watcher")) {
                assertEquals(frames.lines(), new Frames().readAll(watcher).lines());
            }
            Await.until(
                    "no process of it is left there",
                    () -> on.running().stream().noneMatch(line -> line.contains(spawned.id())));
        }
    }

    private static long msSince(long start) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }

    private interface Act {
        void act() throws IOException;
    }

    /** The captain reads on one connection all the while. */
    private static void lose(String how, RemoteSite at, SshHost on, Act lose, Act restore) throws IOException {
        Writer writer = new Writer(at, on);
        try (Wire captain = writer.spawned.captain()) {
            writer.frames.readUntil(captain, frame -> writer.frames.text().contains("line 1 "));
            long lost = System.nanoTime();
            lose.act();
            Await.until("the loss is seen", writer::isUnreachable);
            long seenMs = msSince(lost);
            writer.writeOn();
            assertTrue(writer.isUnreachable(), "it is written there, and read by nobody");
            long restored = System.nanoTime();
            restore.act();
            writer.frames.readUntil(captain, frame -> writer.frames.text().contains("line 2 "));
            long resumedMs = msSince(restored);
            writer.judge(captain);
            System.out.println(
                    "link lost, " + how + ": seen after " + seenMs + " ms, resumed after " + resumedMs + " ms");
            assertTrue(seenMs <= SEEN_MS_MAX, "seen after " + seenMs + " ms");
            assertTrue(resumedMs <= RESUMED_MS_MAX, "resumed after " + resumedMs + " ms");
        }
    }

    @Test
    @Tag("slow")
    void shouldLoseNothingWhenNothingPassesAndNobodyIsTold() throws IOException {
        lose("half open", site, host, link::stall, link::resume);
    }

    /** The gateway is told at once, and the host never: its end stays half open. */
    private static void cutAndHold() {
        link.stall();
        link.cutClients();
    }

    @Test
    @Tag("slow")
    void shouldLoseNothingWhenTheLinkIsCutAndNobodyAnswers() throws IOException {
        lose("cut", site, host, RemoteLinkTest::cutAndHold, link::resume);
    }

    @Test
    @Tag("slow")
    void shouldLoseNothingWhenTheCableIsPulled() throws IOException {
        SshHost cabled = SshHost.startBehindCable("build2");
        try (RemoteSite other = RemoteSite.start(Map.of(), cabled)) {
            lose("cable pulled", other, cabled, () -> cabled.plug(false), () -> cabled.plug(true));
        }
    }

    /** The captain's connection ends with the gateway; it goes on where it was. */
    private static void killed(String what, Act kill, Act revive) throws IOException {
        Writer writer = new Writer(site, host);
        try (Wire captain = writer.spawned.captain()) {
            writer.frames.readUntil(captain, frame -> writer.frames.text().contains("line 1 "));
            writer.tell("go");
            writer.frames.readUntil(captain, frame -> writer.frames.text().contains("line 20 "));
        }
        long start = System.nanoTime();
        kill.act();
        Await.until("the agent has written all but the last line", () -> Files.exists(writer.file("written")));
        revive.act();
        try (Wire captain = writer.spawned.captain(writer.frames.next())) {
            writer.frames.readUntil(captain, frame -> writer.frames.text().contains("line " + LINES + " "));
            System.out.println(what + " killed: all is here after " + msSince(start) + " ms");
            writer.judge(captain);
        }
    }

    private static void killMaster() throws IOException {
        site.master(host.name()).forEach(ProcessHandle::destroyForcibly);
    }

    @Test
    void shouldLoseNothingWhenTheSshIsKilled() throws IOException {
        killed("the ssh", RemoteLinkTest::killMaster, () -> {});
    }

    @Test
    void shouldLoseNothingWhenTheGatewayIsKilled() throws IOException {
        killed("the gateway", () -> site.product().kill(), () -> site.product().serve());
    }

    @Test
    @Tag("slow")
    void shouldLoseNothingWhenTheSshAndTheGatewayAreKilled() throws IOException {
        killed(
                "ssh and gateway",
                () -> {
                    killMaster();
                    site.product().kill();
                },
                () -> site.product().serve());
    }

    @Test
    @Tag("slow")
    void shouldLoseNothingWhenTheGatewayStartsBeforeTheLinkIsBack() throws IOException {
        killed(
                "link and gateway",
                () -> {
                    cutAndHold();
                    site.product().kill();
                },
                () -> {
                    site.product().serve();
                    site.awaitState(host.name(), "down");
                    link.resume();
                });
    }

    @Test
    @Tag("slow")
    void shouldEndSessionsAndGoOnWhenTheWorkerAgentThereIsKilled() throws IOException {
        Writer writer = new Writer(site, host);
        try (Wire captain = writer.spawned.captain()) {
            writer.frames.readUntil(captain, frame -> writer.frames.text().contains("line 1 "));
            List<ProcessHandle> killed = workerAgents(host);
            assertEquals(1, killed.size());
            killed.getFirst().destroyForcibly();
            writer.frames.readAll(captain);
            assertEquals("WORKER_LOST", writer.frames.ofType("error").getFirst().text("code"));
            assertEquals(1, writer.frames.ofType("done").size());
        }
        site.awaitUp();
        try (Wire watcher = site.shell(host, "echo again").attach("watcher")) {
            assertEquals("again\n", new Frames().readAll(watcher).text());
        }
        requireNothingLeft(host);
    }

    @Test
    @Tag("slow")
    void shouldBeBackSoonHoweverOftenTheLinkIsLost() throws IOException {
        Writer writer = new Writer(site, host);
        try (Wire captain = writer.spawned.captain()) {
            for (int i = 0; i < 7; i++) {
                long logins = host.logins();
                long lost = System.nanoTime();
                host.killSessions();
                Await.until("there is a new login", () -> host.logins() > logins);
                site.awaitUp();
                long backMs = msSince(lost);
                assertTrue(backMs <= RESUMED_MS_MAX, "back after " + backMs + " ms");
            }
            writer.tell("go");
            writer.judge(captain);
        }
    }

    static List<ProcessHandle> workerAgents(SshHost on) {
        return on.processes("/home/" + on.name() + "/.brig/versions/").stream()
                .filter(process -> Processes.arguments(process).contains("--runtime-dir"))
                .toList();
    }

    /** Of all sessions; what Brig itself runs there stays. */
    static void requireNothingLeft(SshHost on) throws IOException {
        List<String> left = new ArrayList<>();
        try {
            Await.until("no process of a session is left there", () -> {
                left.clear();
                on.running().stream()
                        .filter(line -> !line.contains("/.brig/versions/"))
                        .forEach(left::add);
                return left.isEmpty();
            });
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + ": " + left, e);
        }
    }
}
