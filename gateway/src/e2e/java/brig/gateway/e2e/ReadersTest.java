package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many readers of one stream, over every way in, all at once. */
@Timeout(60)
class ReadersTest {
    private static final int WORDS = 60;

    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        product = Product.start();
    }

    @AfterAll
    static void stop() throws IOException {
        product.close();
    }

    @Test
    void shouldShowEverybodyTheSameFramesWhenReadAtOnce() throws Exception {
        // Scenario: an agent writes word by word; seven readers join while it writes, one of them is cut and
        // comes back.
        Spawned spawned = product.spawn("demo-writer", "word ".repeat(WORDS).strip(), true);
        List<Frames> all = readAtOnce(List.of(
                () -> readAndClose(spawned.captain()),
                () -> readAndClose(spawned.captain()),
                () -> readAndClose(webSocket(spawned)),
                () -> readAndClose(webSocket(spawned)),
                () -> readAndClose(watcher(spawned).events(spawned.id(), "")),
                () -> readAndClose(watcher(spawned).events(spawned.id(), "")),
                () -> readWithCut(spawned)));
        List<String> expected = all.get(0).lines();
        assertTrue(expected.size() > 3, "only " + expected);
        assertEquals("word ".repeat(WORDS) + "\n", all.get(0).text());
        for (Frames frames : all) {
            assertEquals(expected, frames.lines());
            assertEquals(0, frames.missing());
        }
    }

    @Test
    void shouldShowTheSameTextWhenItComesMerged() throws Exception {
        // Scenario: an agent writes word by word; readers take its text merged, over every way in. Later somebody
        // resumes
        // in the middle of a range that they got as one.
        Spawned spawned = product.spawn("demo-writer", "word ".repeat(WORDS).strip(), true);
        String auth = "{\"auth\":\"" + spawned.captainToken() + "\",\"max_latency_ms\":1000}";
        String socket = "/api/v1/sessions/" + spawned.id() + "/attach";
        String stream = "/api/v1/sessions/" + spawned.id() + "/stream?max_latency_ms=1000";
        List<Frames> all = readAtOnce(List.of(
                () -> readAndClose(spawned.captain()),
                () -> readAndClose(Wire.unix(spawned.socket()).sendLine(auth)),
                () -> readAndClose(product.web().with("").socket(socket).sendLine(auth)),
                () -> readAndClose(watcher(spawned).follow(stream, ""))));
        Frames plain = all.getFirst();
        for (Frames merged : all.subList(1, all.size())) {
            assertEquals("word ".repeat(WORDS) + "\n", merged.text());
            assertEquals(plain.next(), merged.next());
            assertTrue(merged.lines().size() < plain.lines().size() / 2, () -> "merged " + merged.lines());
        }

        JsonObject range = all.getLast().ofType("chunk").stream()
                .filter(chunk -> chunk.has("from"))
                .findFirst()
                .orElseThrow();
        long first = range.number("from", 0);
        for (long from : new long[] {first, first + 1, range.number("seq", 0)}) {
            String position = epoch(spawned) + "-" + (from - 1);
            Frames rest = readAndClose(from, watcher(spawned).follow(stream, position));
            Frames asTheyAre = readAndClose(from, watcher(spawned).events(spawned.id(), position));
            assertEquals(asTheyAre.text(), rest.text());
            assertEquals(plain.next(), rest.next());
        }
    }

    private static String epoch(Spawned spawned) throws IOException {
        try (Events events = watcher(spawned).events(spawned.id(), "")) {
            return events.resumedFrom().replaceFirst("-0$", "");
        }
    }

    private static List<Frames> readAtOnce(List<Callable<Frames>> readers) throws Exception {
        List<Frames> all = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Frames> read : threads.invokeAll(readers)) {
                all.add(read.get());
            }
        }
        return all;
    }

    private static Frames readAndClose(Source source) throws IOException {
        return readAndClose(1, source);
    }

    private static Frames readAndClose(long from, Source source) throws IOException {
        try (source) {
            return new Frames(from).readAll(source);
        }
    }

    private static Web watcher(Spawned spawned) throws IOException {
        return product.web().with(spawned.watcherToken());
    }

    /** A captain whose token comes in the first message. */
    private static Socket webSocket(Spawned spawned) throws IOException {
        return product.web()
                .with("")
                .socket("/api/v1/sessions/" + spawned.id() + "/attach")
                .sendLine("{\"auth\":\"" + spawned.captainToken() + "\"}");
    }

    private static Frames readWithCut(Spawned spawned) throws IOException {
        long seed = System.nanoTime();
        int cutBehind = 1 + new Random(seed).nextInt(WORDS / 2);
        Frames frames = new Frames();
        String position;
        try (Events first = watcher(spawned).events(spawned.id(), "")) {
            frames.readUntil(first, frame -> frames.lines().size() == cutBehind);
            position = first.lastId();
        }
        try (Events second = watcher(spawned).events(spawned.id(), position)) {
            assertEquals(position, second.resumedFrom(), "cut behind " + cutBehind);
            return frames.readAll(second);
        }
    }

    @Test
    void shouldAnswer204WhenWatcherHasEverything() throws IOException {
        Spawned spawned = product.shell("echo hi");
        try (Events events = watcher(spawned).events(spawned.id(), "")) {
            new Frames().readAll(events);
            Web.Answer again = watcher(spawned)
                    .send(watcher(spawned)
                            .request("/api/v1/sessions/" + spawned.id() + "/stream")
                            .header("Last-Event-ID", events.lastId()));
            assertEquals(204, again.status());
        }
    }

    @Test
    void shouldCarryManySessionsWhenMultiplexed() throws IOException {
        Spawned one = product.shell("echo one");
        Spawned two = product.shell("echo two");
        try (Socket socket = product.web().socket("/api/v1/ws")) {
            for (Spawned spawned : List.of(one, two)) {
                socket.sendLine("{\"action\":\"subscribe\",\"id\":\"" + spawned.id() + "\"}");
            }
            Frames ofOne = new Frames();
            Frames ofTwo = new Frames();
            Frames current = ofOne;
            for (int ended = 0; ended < 2; ) {
                String line = socket.line();
                JsonObject message = JsonObject.read(line.getBytes(StandardCharsets.UTF_8));
                if (Frames.isType(message, "session") && !message.has("seq")) {
                    current = message.text("spawn_id", "").equals(one.id()) ? ofOne : ofTwo;
                } else {
                    current.add(line);
                    ended += Frames.isTerminated(message) ? 1 : 0;
                }
            }
            assertEquals("one\n", ofOne.text());
            assertEquals("two\n", ofTwo.text());
        }
    }
}
