package brig.workeragent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Ids;
import brig.protocol.wire.FrameType;
import brig.workeragent.limits.TestedLevel;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The table of docs/security.md, "What an agent hoards": each way to take more than a policy gives, at each level
 * that this host has, is held, ended, or let happen and named there. Beside each a second worker, and a program of
 * the workers' user that no wall holds, which on a person's own gateway is the person, get what they need, but for what is named there.
 */
@Timeout(90)
@ParameterizedClass
@FieldSource("brig.workeragent.limits.LimitsBackend#LEVELS")
@Order(6)
@Tag("slow")
class HoardTest {
    /** The workers' user here: what the kernel counts for a user is not taken from the workers of other tests. */
    private static final int UID = 59619;

    private static final long MEMORY_BYTES_MAX = 64L << 20;
    private static final Path HOARD =
            Path.of(System.getProperty("brig.hostile")).resolve("hoard");
    /** Rounds of the program beside an attack, each a twentieth of a second, in which it has to miss nothing. */
    private static final int ROUNDS = 5;

    /** What becomes of an attack. */
    private enum Outcome {
        /** It gets no more than its share, and goes on. */
        HELD,
        /** The worker, or its largest process, ends with {@code out_of_memory}. */
        ENDED,
        /** One of these two: which one is the kernel's affair. */
        BOUNDED,
        /** It gets it; docs/security.md says who suffers from that. */
        NAMED
    }

    /**
     * One line of the table.
     *
     * @param most what it asks for: MiB, files or pieces
     * @param heldTo what it has where it is held
     */
    private record Attack(String name, int most, Outcome inGroups, Outcome alone, int heldTo) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Attack> attacks() {
        return Stream.of(
                new Attack("memfd", 300, Outcome.ENDED, Outcome.HELD, 0),
                new Attack("sysv", 300, Outcome.ENDED, Outcome.HELD, 0),
                new Attack("messages", 300, Outcome.ENDED, Outcome.HELD, 0),
                new Attack("semaphores", 300, Outcome.ENDED, Outcome.HELD, 0),
                new Attack("shared", 300, Outcome.ENDED, Outcome.ENDED, 0),
                new Attack("zero", 300, Outcome.ENDED, Outcome.ENDED, 0),
                new Attack("hidden", 300, Outcome.ENDED, Outcome.NAMED, 0),
                new Attack("tables", 300, Outcome.ENDED, Outcome.ENDED, 0),
                new Attack("tcp", 300, Outcome.BOUNDED, Outcome.ENDED, 80),
                new Attack("unix", 300, Outcome.ENDED, Outcome.ENDED, 0),
                new Attack("passed", 300, Outcome.ENDED, Outcome.ENDED, 0),
                new Attack("pipes", 300, Outcome.ENDED, Outcome.NAMED, 0),
                new Attack("tmp", 300_000, Outcome.ENDED, Outcome.ENDED, 0),
                new Attack("shm", 300_000, Outcome.ENDED, Outcome.ENDED, 0),
                new Attack("inotify", 200, Outcome.HELD, Outcome.HELD, 16),
                new Attack("flight", 4500, Outcome.NAMED, Outcome.NAMED, 0));
    }

    private final String level;
    private final List<Process> persons = new ArrayList<>();
    private AgentFixture fixture;
    private TestGateway control;
    private Path hoard;

    HoardTest(String level) {
        this.level = level;
    }

    @BeforeEach
    void open() throws IOException {
        TestedLevel.assume(level).close();
        fixture = new AgentFixture(level);
        Files.writeString(
                fixture.config,
                Files.readString(fixture.config).replace("\"worker\": {", "\"worker\": {\"uid\": " + UID + ", "));
        fixture.open();
        control = fixture.control();
        Path tools = Files.createDirectory(fixture.root.resolve("tools"));
        Files.setPosixFilePermissions(tools, PosixFilePermissions.fromString("rwxr-xr-x"));
        hoard = Files.copy(HOARD, tools.resolve("hoard"));
        Files.setPosixFilePermissions(hoard, PosixFilePermissions.fromString("r-xr-xr-x"));
        Map<String, ?> mounts = Map.of(
                "/workspace",
                Map.of("hostPath", ".", "readonly", false),
                "/opt/tools",
                Map.of("hostPath", tools.toString(), "readonly", true));
        fixture.writePolicy("test", Map.of("memoryBytesMax", MEMORY_BYTES_MAX, "mounts", mounts));
    }

    @AfterEach
    void close() throws Exception {
        for (Process person : persons) {
            person.destroyForcibly().waitFor();
        }
        if (fixture != null) {
            control.close();
            fixture.close();
        }
    }

    private String start(String command) throws IOException {
        String id = Ids.newSpawnId(System.currentTimeMillis());
        Map<String, Object> answer = fixture.askForShell(control, id, "test", "exec 2>&1 /opt/tools/hoard " + command);
        assertTrue(answer.containsKey("ok"), answer.toString());
        return id;
    }

    /** What it says, up to the first line with that word or to its end. */
    private String until(TestGateway frames, String word) throws IOException {
        StringBuilder said = new StringBuilder();
        frames.read(frame -> {
            if (frame.type() == FrameType.CHUNK) {
                said.append(frame.text("content"));
            }
            if (frame.type() == FrameType.DONE) {
                said.append("done ").append(frame.text("signal")).append(' ').append(frame.text("reason"));
            }
            return frame.type() != FrameType.DONE && said.indexOf(word) < 0;
        });
        return said.toString();
    }

    /** A program of the workers' user on the host, with the limits of an ordinary login. */
    private BufferedReader startPerson() throws IOException {
        String uid = Integer.toString(UID);
        List<String> command = new ArrayList<>(
                Installation.isRoot()
                        ? List.of("setpriv", "--reuid", uid, "--regid", uid, "--clear-groups")
                        : List.of("env"));
        command.addAll(List.of("prlimit", "--nofile=1024:1024", hoard.toString(), "well"));
        Process person = new ProcessBuilder(command).redirectErrorStream(true).start();
        persons.add(person);
        return person.inputReader();
    }

    private static void assertSays(String pattern, String who, Stream<String> rounds) {
        assertEquals(
                List.of(),
                rounds.limit(ROUNDS).filter(line -> !line.matches(pattern)).toList(),
                who);
    }

    @ParameterizedTest
    @MethodSource("attacks")
    void shouldHoldOrEndOrNameWhatAnAgentHoards(Attack attack) throws Exception {
        Outcome expected = level.equals("rlimits") ? attack.alone : attack.inGroups;
        try (TestGateway frames = fixture.frames(start(attack.name + " " + attack.most), 1)) {
            String said = until(frames, "\n");
            if (expected == Outcome.ENDED || (expected == Outcome.BOUNDED && !said.startsWith("holds "))) {
                if (!said.contains("done ")) {
                    said += until(frames, "done ");
                }
                assertTrue(said.endsWith("done SIGKILL out_of_memory"), said);
            } else {
                assertTrue(said.startsWith("holds "), said);
                int has = Integer.parseInt(said.split(" ", 3)[1]);
                assertTrue(expected == Outcome.NAMED ? has > attack.heldTo : has <= attack.heldTo, said);
            }
            boolean harmless = !attack.name.equals("flight");
            assertNeighbours(harmless ? "well \\d+" : "misses passing ETOOMANYREFS");
        }
    }

    /** What an ordinary program says beside the attack, behind another wall and behind none. */
    private void assertNeighbours(String pattern) throws IOException {
        try (TestGateway frames = fixture.frames(start("well"), 1);
                BufferedReader person = startPerson()) {
            StringBuilder said = new StringBuilder();
            frames.read(frame -> {
                if (frame.type() == FrameType.CHUNK) {
                    said.append(frame.text("content"));
                }
                return frame.type() != FrameType.DONE
                        && said.chars().filter(c -> c == '\n').count() < ROUNDS;
            });
            assertSays(pattern, "the neighbour", said.toString().lines());
            assertSays(pattern, "the person", person.lines());
        }
    }
}
