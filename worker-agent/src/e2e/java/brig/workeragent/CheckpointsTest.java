package brig.workeragent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Ids;
import brig.protocol.control.Checkpoint;
import brig.protocol.control.CheckpointAnswer;
import brig.protocol.control.CheckpointsAnswer;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.FrameType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Checkpoints of worktrees: what is in them, what they cost, and what a restore changes. */
@Timeout(120)
class CheckpointsTest {
    private static final long BYTES_MAX = 1_048_576;
    /** Four of them fit below the limit, and not five. */
    private static final long BIG_BYTES = 210_000;

    private final AgentFixture fixture = new AgentFixture();
    private final Path bases = fixture.root.resolve("workspaces");
    private final Path repository = bases.resolve("project");

    CheckpointsTest() throws IOException {}

    @BeforeEach
    void makeRepository() throws Exception {
        Files.createDirectories(repository);
        host(
                repository,
                "git init -q -b main . && echo one > a.txt && echo two > b.txt && echo '*.log' > .gitignore"
                        + " && printf 'x\\r\\ny\\n' > mixed.txt && git add -A"
                        + " && git -c user.name=a -c user.email=a@example.org commit -qm work");
    }

    @AfterEach
    void close() throws IOException {
        fixture.close();
    }

    private TestGateway open(Map<String, ?> bounds) throws Exception {
        String settings = Files.readString(fixture.config);
        String with = "\"worker\": {\"checkpoints\": " + new String(Json.write(bounds), UTF_8) + ", ";
        Files.writeString(fixture.config, settings.replace("\"worker\": {", with));
        return open();
    }

    private TestGateway open() throws Exception {
        if (Installation.isRoot()) {
            host(repository, "chown -R 59617:59617 .");
        }
        return fixture.open().control();
    }

    private static String host(Path folder, String script) throws Exception {
        Process run = new ProcessBuilder("sh", "-c", script)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(run.getInputStream().readAllBytes(), UTF_8);
        assertEquals(0, run.waitFor(), said);
        return said;
    }

    /** Starts a shell that takes each message as a script. */
    private String spawn(TestGateway control) throws IOException {
        String id = Ids.newSpawnId(System.currentTimeMillis());
        Map<String, Object> answer = fixture.ask(
                control,
                id,
                Map.of(
                        "agent_config",
                        Map.of("name", "shell"),
                        "workspace_mode",
                        "worktree",
                        "repository",
                        repository.toString()));
        assertTrue(answer.containsKey("ok"), answer::toString);
        return id;
    }

    private static JsonObject ask(TestGateway control, String op, String id, Map<String, ?> with) throws IOException {
        Map<String, Object> request = new HashMap<>(with);
        request.putAll(Map.of("id", 2, "op", op, "spawn_id", id));
        return JsonObject.of(control.ask(new String(Json.write(request), UTF_8)));
    }

    private static <T> T answer(TestGateway control, String op, String id, Map<String, ?> with, Class<T> type)
            throws IOException {
        Map<String, Object> request = new HashMap<>(with);
        request.putAll(Map.of("id", 2, "op", op, "spawn_id", id));
        Map<String, Object> answer = control.ask(new String(Json.write(request), UTF_8));
        assertTrue(answer.containsKey("ok"), answer::toString);
        return JsonObject.of(answer).object("ok").as(type);
    }

    private static Checkpoint take(TestGateway control, String id, long lastSeq) throws IOException {
        return answer(control, "take_checkpoint", id, Map.of("last_seq", lastSeq), CheckpointAnswer.class)
                .checkpoint();
    }

    private static Checkpoint restore(TestGateway control, String id, Map<String, ?> with) throws IOException {
        Map<String, Object> fields = new HashMap<>(with);
        fields.put("last_seq", 900);
        return answer(control, "restore", id, fields, CheckpointAnswer.class).checkpoint();
    }

    private static List<Checkpoint> list(TestGateway control, String id) throws IOException {
        return answer(control, "checkpoints", id, Map.of(), CheckpointsAnswer.class)
                .checkpoints();
    }

    /** What a worktree holds, as its own user sees it. */
    private String content(String id) throws Exception {
        return host(
                bases.resolve(id), "for f in $(find . -type f ! -name .git | sort); do echo \"$f:$(cat $f)\"; done");
    }

    /** Writes a file that cannot be compressed. @return the name of git's object with it */
    private static String fill(Path folder, int number) throws Exception {
        return host(
                        folder,
                        "head -c " + BIG_BYTES + " /dev/urandom > big.bin; echo " + number + " > number.txt;"
                                + " cp big.bin /tmp/big.$$; cd /; git hash-object /tmp/big.$$; rm /tmp/big.$$")
                .strip();
    }

    /** The files below a folder, by the names of git's objects where it is one of those, with their bytes. */
    private static Map<String, Long> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .collect(Collectors.toMap(
                            file -> folder.relativize(file).toString().replace("/", ""),
                            file -> file.toFile().length()));
        }
    }

    private void requireRefused(TestGateway control, String id, Checkpoint gone) throws IOException {
        String refused = ask(control, "restore", id, Map.of("at", gone.seq(), "last_seq", 900))
                .toString();
        assertTrue(refused.contains("NOT_FOUND") && refused.contains("no checkpoint at frame " + gone.seq()), refused);
    }

    private static List<Long> numbers(List<Checkpoint> checkpoints) {
        return checkpoints.stream().map(Checkpoint::seq).toList();
    }

    /** Lets a worker end after a script. */
    private void work(TestGateway control, String id, String script) throws IOException {
        try (TestGateway frames = fixture.frames(id, 1)) {
            frames.send(new String(Json.write(Map.of("input", Map.of("content", script))), UTF_8));
            frames.read(frame -> frame.type() != FrameType.DONE);
        }
    }

    @Test
    void shouldRestoreWhatACheckpointHoldsAndNothingElse() throws Exception {
        try (TestGateway control = open()) {
            String id = spawn(control);
            Path folder = bases.resolve(id);
            host(
                    folder,
                    "echo new > new.txt; echo changed > a.txt; rm b.txt; mkdir d; echo deep > d/e; echo log > x.log;"
                            + " printf 'a\\r\\nb\\n' > mixed.txt");
            String then = content(id);
            Checkpoint first = take(control, id, 0);
            assertTrue(first.seq() > 0);
            host(
                    folder,
                    "rm -r d new.txt; echo later > a.txt; echo b > b.txt; echo more > more.txt; echo kept > x.log");
            String later = content(id);
            Checkpoint before = restore(control, id, Map.of("at", first.seq()));
            assertEquals(then.replace("x.log:log", "x.log:kept"), content(id));
            assertEquals(first.seq(), before.restored());
            restore(control, id, Map.of("at", before.seq()));
            assertEquals(later, content(id));
            restore(control, id, Map.of("at", 0));
            assertEquals(
                    "./.gitignore:*.log\n./a.txt:one\n./b.txt:two\n./mixed.txt:x\r\ny\n./x.log:kept\n", content(id));
            assertEquals(
                    List.of(0L, first.seq(), before.seq()),
                    list(control, id).stream().limit(3).map(Checkpoint::seq).toList());
            assertEquals(5, list(control, id).size());
        }
    }

    @Test
    void shouldTellOfACheckpointByAFrameAndKeepItUntilTheWorktreeGoes() throws Exception {
        try (TestGateway control = open()) {
            String id = spawn(control);
            host(bases.resolve(id), "echo work > w.txt");
            Checkpoint taken = take(control, id, 0);
            try (TestGateway frames = fixture.frames(id, 1)) {
                frames.read(frame -> {
                    if (frame.type() == FrameType.CHECKPOINT) {
                        assertEquals(taken.seq(), frame.seq());
                        assertEquals(taken.tree(), frame.text("tree"));
                    }
                    return frame.type() != FrameType.CHECKPOINT;
                });
                control.ask("{\"id\":3,\"op\":\"terminate\",\"spawn_id\":\"" + id + "\"}");
                frames.read(frame -> !frame.text("state").equals("terminated"));
            }
            host(bases.resolve(id), "echo mine > w.txt");
            Checkpoint end = take(control, id, 77);
            assertEquals(77, end.seq());
            restore(control, id, Map.of("at", taken.seq()));
            assertTrue(content(id).contains("w.txt:work"));
            assertTrue(ask(control, "discard", id, Map.of()).toString().contains("ok"));
            try (Stream<Path> left = Files.list(bases)) {
                assertEquals(
                        List.of("project"),
                        left.map(file -> file.getFileName().toString()).toList());
            }
        }
    }

    @Test
    void shouldKeepTheNewestWhenThereAreMoreThanTheLimit() throws Exception {
        try (TestGateway control = open(Map.of("max", 3))) {
            String id = spawn(control);
            List<Checkpoint> taken = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                host(bases.resolve(id), "echo " + i + " > number.txt");
                taken.add(take(control, id, 0));
            }
            List<Long> kept = new ArrayList<>(List.of(0L));
            kept.addAll(numbers(taken.subList(2, 5)));
            assertEquals(kept, numbers(list(control, id)));
            requireRefused(control, id, taken.get(0));
            requireRefused(control, id, taken.get(1));
            assertEquals(kept, numbers(list(control, id)), "what is refused takes none");
            Checkpoint before = restore(control, id, Map.of("at", taken.get(2).seq()));
            assertTrue(content(id).contains("number.txt:2\n"), "it was the oldest, and went only then");
            assertEquals(List.of(0L, taken.get(3).seq(), taken.get(4).seq(), before.seq()), numbers(list(control, id)));
        }
    }

    @Test
    void shouldDeleteTheObjectsOfTheOldestWhenThereAreMoreBytesThanTheLimit() throws Exception {
        try (TestGateway control = open(Map.of("bytesMax", BYTES_MAX))) {
            String id = spawn(control);
            Path folder = bases.resolve(id);
            Path kept = bases.resolve(id + ".kept").resolve("objects");
            Map<String, Long> own = files(repository);
            List<Checkpoint> taken = new ArrayList<>();
            List<String> blobs = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                blobs.add(fill(folder, i));
                taken.add(take(control, id, 0));
            }
            assertTrue(files(kept).keySet().containsAll(blobs));
            int four = files(kept).size();

            blobs.add(fill(folder, 4));
            taken.add(take(control, id, 0));
            assertEquals(
                    List.of(
                            0L,
                            taken.get(2).seq(),
                            taken.get(3).seq(),
                            taken.get(4).seq()),
                    numbers(list(control, id)));
            requireRefused(control, id, taken.get(0));
            requireRefused(control, id, taken.get(1));
            Map<String, Long> left = files(kept);
            assertEquals(four - 3, left.size(), "two are gone, and one is new, of a tree and two files each");
            assertTrue(left.keySet().containsAll(blobs.subList(2, 5)));
            assertFalse(left.containsKey(blobs.get(0)) || left.containsKey(blobs.get(1)));
            assertFalse(left.containsKey(taken.get(0).tree()));
            long bytes = left.values().stream().mapToLong(Long::longValue).sum();
            assertTrue(bytes <= BYTES_MAX, () -> "bytes: " + bytes);
            assertEquals(
                    bytes,
                    answer(control, "checkpoints", id, Map.of(), CheckpointsAnswer.class)
                            .bytes());

            blobs.add(fill(folder, 5));
            taken.add(take(control, id, 0));
            fill(folder, 6);
            Checkpoint before = restore(control, id, Map.of("at", taken.get(2).seq()));
            assertEquals("2\n", Files.readString(folder.resolve("number.txt")));
            assertEquals(BIG_BYTES, Files.size(folder.resolve("big.bin")));
            assertEquals(
                    List.of(
                            0L,
                            taken.get(2).seq(),
                            taken.get(4).seq(),
                            taken.get(5).seq(),
                            before.seq()),
                    numbers(list(control, id)),
                    "what is gone back to is not removed for what was there before");
            restore(control, id, Map.of("at", before.seq()));
            assertEquals("6\n", Files.readString(folder.resolve("number.txt")));
            restore(control, id, Map.of("at", 0));
            assertFalse(Files.exists(folder.resolve("big.bin")));
            assertEquals(own, files(repository), "the repository has what it had");
        }
    }

    @Test
    void shouldRefuseByName() throws Exception {
        try (TestGateway control = open()) {
            String id = spawn(control);
            assertTrue(ask(control, "restore", id, Map.of("at", 12, "last_seq", 0))
                    .toString()
                    .contains("NOT_FOUND"));
            try (TestGateway frames = fixture.frames(id, 1)) {
                frames.send("{\"input\":{\"content\":\"echo begun; mkfifo f; cat f\"}}");
                frames.read(frame -> frame.type() != FrameType.CHUNK);
                String refused =
                        ask(control, "restore", id, Map.of("last_seq", 0)).toString();
                assertTrue(refused.contains("AGENT_WORKING"), refused);
            }
            String folder = fixture.spawn(control, "shell", null);
            String refused = ask(control, "take_checkpoint", folder, Map.of("last_seq", 0))
                    .toString();
            assertTrue(refused.contains("CHECKPOINT_UNAVAILABLE") && refused.contains("--repository"), refused);
            assertFalse(Files.exists(bases.resolve(folder + ".kept")));
        }
    }

    @Test
    void shouldRunNothingOfTheAgentAndGiveItNothingOfBrigs() throws Exception {
        try (TestGateway control = open()) {
            String id = spawn(control);
            Path folder = bases.resolve(id);
            work(
                    control,
                    id,
                    "printf 'filter=x\\n* filter=evil\\n' > .gitattributes;"
                            + " git config filter.evil.clean 'touch /workspace/ran; cat' 2>/dev/null;"
                            + " printf '#!/bin/sh\\ntouch /workspace/ran' > /tmp/h; ls -d /workspace/../*.kept 2>/dev/null;"
                            + " git config core.fsmonitor /tmp/h 2>/dev/null; echo data > data.txt; ln -s /etc out; true");
            Checkpoint taken = take(control, id, 0);
            host(folder, "rm -f out data.txt; ln -s " + fixture.root + " data.txt; mkdir out");
            restore(control, id, Map.of("at", taken.seq()));
            assertFalse(Files.exists(folder.resolve("ran")));
            assertEquals("data\n", Files.readString(folder.resolve("data.txt")));
            assertTrue(Files.isSymbolicLink(folder.resolve("out")));
        }
    }
}
