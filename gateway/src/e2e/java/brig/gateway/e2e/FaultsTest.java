package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of readers and of the state folder when somebody, or something, breaks it. */
@Timeout(120)
class FaultsTest {
    private static final int LINES = 20_000;
    /** What fills a pipe. */
    private static final int PIPE_BYTES = 65_536;

    private static Spawned ended(Product product, String prompt) throws IOException {
        Spawned spawned = product.shell(prompt);
        try (Wire reader = spawned.attach("watcher")) {
            new Frames().readAll(reader);
        }
        Await.until("it is recorded", spawned::isRecorded);
        return spawned;
    }

    @Test
    @Tag("slow")
    void shouldStopBeforeItTouchesAnythingWhenAGatewayRuns() throws IOException {
        try (Product product = Product.start()) {
            Spawned live = product.idle("lives");
            String logged = Files.readString(product.log());
            Run second = product.brig("serve");
            assertEquals(125, second.exitCode(), second::toString);
            String pid = "pid " + product.process().pid() + ",";
            assertTrue(second.err().contains("ALREADY_RUNNING") && second.err().contains(pid), second::err);
            assertEquals(125, product.brig("recover").exitCode());
            assertEquals(logged, Files.readString(product.log()), "the first one noticed nothing");
            assertEquals("running", live.view().text("state"));
            product.kill();
            product.serve();
            assertEquals("running", live.view().text("state"), "what a killed one left is in nobody's way");
        }
    }

    @Test
    void shouldWaitForAGatewayThatStartsAndStartNoneBesideIt() throws Exception {
        // Scenario: somebody runs an agent while a gateway has its folder and does not listen yet.
        try (Product product = Product.prepare(Map.of())) {
            Path state = Files.createDirectory(product.folder().resolve("state"));
            Path said = product.folder().resolve("said");
            Process run;
            try (RandomAccessFile file =
                    new RandomAccessFile(state.resolve("gateway.lock").toFile(), "rw")) {
                file.getChannel().lock();
                file.writeBytes(ProcessHandle.current().pid() + "\n");
                run = new ProcessBuilder(product.command("sessions"))
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile())
                        .start();
                Await.until(
                        "it waits",
                        () -> Files.readString(said)
                                .contains("waiting for the gateway that starts or ends, pid "
                                        + ProcessHandle.current().pid()));
                assertTrue(run.isAlive());
            }
            assertEquals(125, run.waitFor());
            assertTrue(Files.readString(said).contains("no gateway listens"), () -> said.toString());
        }
    }

    @Test
    void shouldEndTheWorkerAgentOfAStartThatFails() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Product product = Product.prepare(Map.of("http", Map.of("port", (long) other.getLocalPort())))) {
            Run run = product.brig("serve");
            assertEquals(125, run.exitCode(), run::err);
            assertTrue(run.err().contains(product.config() + ", such as {\"http\": {\"port\": "), run::err);
            assertEquals(List.of(), product.workerAgents());
        }
    }

    @Test
    void shouldServeAndEndWhenNobodyReadsItsLog() throws Exception {
        try (Product product = Product.prepare(Map.of())) {
            Path log = product.log();
            assertEquals(0, new ProcessBuilder("mkfifo", log.toString()).start().waitFor());
            try (RandomAccessFile pipe = new RandomAccessFile(log.toFile(), "rw")) {
                pipe.write(new byte[PIPE_BYTES]);
                product.serve();
                ended(product, "seq 1 100");
                product.stop();
            }
        }
    }

    @Test
    void shouldGiveTheEndToReadersOfASessionThatEndedShortlyBeforeTheGatewayWasKilled() throws IOException {
        try (Product product = Product.start()) {
            Spawned spawned = ended(product, "seq 1 100");
            Path other = Files.createDirectories(product.folder().resolve("io/other"));
            Files.writeString(other.resolve("io.sock"), "no socket");
            product.kill();
            assertTrue(Files.exists(spawned.socket()));
            Path left =
                    Files.createDirectories(product.folder().resolve("io/left")).resolve("io.sock");
            Files.move(spawned.socket(), left);
            product.serve();
            assertFalse(Files.exists(left), "a socket that nobody listens on goes");
            assertTrue(Files.exists(other.resolve("io.sock")), "what is no socket of Brig's stays");
            try (Wire captain = spawned.captain(3)) {
                Frames frames = new Frames(3).readAll(captain);
                assertEquals(0, frames.missing());
                assertEquals(1, frames.ofType("done").size());
            }
        }
    }

    @Test
    void shouldTellHowASessionEndedWhenItsRecordIsDeleted() throws IOException {
        try (Product product = Product.start()) {
            Spawned spawned = ended(product, "seq 1 " + LINES);
            long last = spawned.view().number("last_seq", 0);
            delete(spawned.record());
            Frames[] read = new Frames[1];
            Await.until("it is no longer in memory either", () -> {
                try (Wire watcher = spawned.attach("watcher")) {
                    read[0] = new Frames().readAll(watcher);
                    return read[0].missing() > 0;
                }
            });
            assertEquals("record_lost", read[0].messages().get(1).text("reason"));
            assertEquals(1, read[0].ofType("done").size());
            assertEquals(last, read[0].next() - 1);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }

    @Test
    void shouldNotServeADamagedByteAndReadOnBehindIt() throws IOException {
        try (Product product = Product.start()) {
            Spawned spawned = ended(product, "seq 1 " + LINES);
            Path file = spawned.record().resolve("%020d.ndjson".formatted(1));
            product.stop();
            byte[] bytes = Files.readAllBytes(file);
            bytes[bytes.length / 2] ^= 1;
            Files.write(file, bytes);
            product.serve();
            try (Wire watcher = spawned.attach("watcher")) {
                Frames frames = new Frames().readAll(watcher);
                assertTrue(frames.missing() > 0);
                assertTrue(
                        frames.messages().stream()
                                .anyMatch(message -> message.text("reason", "").equals("record_damaged")),
                        () -> frames.messages().toString());
            }
        }
    }

    @Test
    @Tag("slow")
    void shouldSayHowADamagedDatabaseIsMadeAnewAndDoIt() throws IOException {
        try (Product product = Product.start()) {
            Spawned spawned = ended(product, "echo once");
            product.stop();
            Path database = product.folder().resolve("state/brig.db");
            byte[] bytes = Files.readAllBytes(database);
            for (int i = 4096; i < bytes.length; i++) {
                bytes[i] = 0x5a;
            }
            Files.write(database, bytes);
            Run refused = product.brig("serve");
            assertEquals(125, refused.exitCode());
            assertTrue(refused.err().contains("RECORD_LOST") && refused.err().contains("'brig recover'"), refused::err);
            Run recovered = product.brig("recover", "--json");
            assertEquals(0, recovered.exitCode(), recovered::toString);
            assertEquals(1, recovered.json().number("rebuilt", 0));
            product.serve();
            try (Wire watcher = spawned.attach("watcher")) {
                assertEquals("once\n", new Frames().readAll(watcher).text());
            }
            assertTrue(product.brig("recover").err().contains("ALREADY_RUNNING"));
        }
    }

    @Test
    void shouldRefuseSpawnsAndSayThatItIsNotReadyAsLongAsTheDiskIsFull() throws IOException {
        Product.requireRoot("a mount namespace");
        try (Product product = Product.prepare(Map.of())) {
            String state = product.folder().resolve("state").toString();
            Path fill = product.folder().resolve("fill");
            // The mount is seen in its namespace only: what fills it and makes room is told by a file that is seen
            // everywhere.
            product.inMountNamespace("mkdir -p " + state + "; mount -t tmpfs -o size=4m,mode=711 brig-e2e " + state
                    + "; (while [ -d " + product.folder() + " ]; do if [ -e " + fill + " ]; then dd if=/dev/zero of="
                    + state
                    + "/filler bs=4k count=2000 2>/dev/null || :; else rm -f " + state
                    + "/filler; fi; sleep 0.2; done) <&- >&- 2>&- & :");
            product.serve();
            // The token is on the disk that only the product sees; this needs none.
            Web web = new Web(product.url(), "");
            assertEquals(200, web.get("/readyz").status());
            Files.createFile(fill);
            JsonObject[] refused = new JsonObject[1];
            Await.until("a spawn is refused", () -> {
                refused[0] = product.ask("{\"action\":\"spawn\",\"agent_config\":{\"name\":\"shell\"}}");
                return refused[0].has("code");
            });
            assertEquals("RECORD_LOST", refused[0].text("code"), () -> refused[0].toString());
            assertTrue(refused[0].text("error", "").contains("full"), refused[0]::toString);
            // Where the worker-agent met the full disk first, the gateway looks for itself, and that takes a moment.
            Await.until(
                    "it is not ready",
                    () -> web.get("/readyz").response().body().equals("not ready: record_lost\n"));
            assertEquals(503, web.get("/readyz").status());
            String status = product.brig("status").out();
            assertTrue(status.contains("not ready    record_lost: spawns are refused"), status);
            Files.delete(fill);
            Await.until("it is ready again", () -> web.get("/readyz").status() == 200);
            product.idle("again");
        }
    }
}
