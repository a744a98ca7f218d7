package brig.loadtests.whole;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The agent and the reader of the whole path: a C program. */
@Timeout(60)
class PaceTest {
    private static final String PROGRAM =
            Path.of(System.getProperty("brig.bin", "build/bin"), "brig-pace").toString();
    private static final int LINES = 5;
    private static final int FILE_BYTES = 1_000_003;

    @TempDir
    Path folder;

    /** The lines of an agent. */
    private static String[] written() throws IOException {
        Process agent = new ProcessBuilder(PROGRAM, "write", "200", String.valueOf(LINES)).start();
        try (BufferedReader lines = agent.inputReader(UTF_8)) {
            return lines.lines().toArray(String[]::new);
        }
    }

    /** What a reader says of a stream with that line, which has these numbers and comes in two pieces each time. */
    private JsonObject read(String line, int... numbers) throws IOException {
        Path socket = Files.createTempDirectory(folder, "reader").resolve("socket");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            Process reader = new ProcessBuilder(PROGRAM, "read", socket.toString(), "1", "0", "50000").start();
            try (var ids = reader.outputWriter(UTF_8)) {
                ids.write("spn_1\n");
            }
            try (SocketChannel stream = server.accept();
                    BufferedReader events = reader.inputReader(UTF_8)) {
                assertTrue(events.readLine().contains("measuring"));
                for (int number : numbers) {
                    String written = "@" + System.nanoTime() + " " + number + line.substring(line.indexOf(';'));
                    int middle = written.length() / 3;
                    stream.write(ByteBuffer.wrap(("data: \"" + written.substring(0, middle)).getBytes(UTF_8)));
                    stream.write(ByteBuffer.wrap((written.substring(middle) + "\\n\"\n\n").getBytes(UTF_8)));
                }
                stream.shutdownOutput();
                return JsonObject.read(events.lines().toList().getLast().getBytes(UTF_8));
            }
        }
    }

    @Test
    void shouldCountEachLineOfAStream() throws IOException {
        String[] lines = written();
        assertEquals(LINES, lines.length);
        assertTrue(lines[LINES - 1].matches("@\\d+ " + LINES + ";\\.*"), lines[LINES - 1]);
        JsonObject result = read(lines[0], 1, 2, 3);
        assertEquals(3, result.number("lines", -1), result::toString);
        assertEquals(0, result.number("faults", -1), result::toString);
    }

    /** Scenario: two agents, of which each starts when it has its two readers; their lines come to both. */
    @Test
    void shouldCopyPipesOfAgentsToTheirReaders() throws IOException {
        Path socket = folder.resolve("pipes");
        Process pipes =
                new ProcessBuilder(PROGRAM, "pipe", socket.toString(), "2", "2", PROGRAM, "write", "200", "20").start();
        try (BufferedReader events = pipes.inputReader(UTF_8)) {
            assertTrue(events.readLine().contains("listening"));
            Process reader = new ProcessBuilder(PROGRAM, "read", socket.toString(), "2", "0", "50000").start();
            try (var ids = reader.outputWriter(UTF_8)) {
                ids.write("0\n1\n");
            }
            try (BufferedReader figures = reader.inputReader(UTF_8)) {
                JsonObject result =
                        JsonObject.read(figures.lines().toList().getLast().getBytes(UTF_8));
                assertEquals(2 * 2 * 20, result.number("lines", -1), result::toString);
                assertEquals(0, result.number("faults", -1), result::toString);
            }
        } finally {
            pipes.destroyForcibly();
        }
    }

    @Test
    void shouldSayThatALineIsMissingOrCameTwice() throws IOException {
        String line = written()[0];
        assertEquals(1, read(line, 1, 3).number("faults", -1));
        assertEquals(1, read(line, 1, 2, 2).number("faults", -1));
    }

    @Test
    void shouldServeAFileAgainAndAgain() throws IOException {
        Process agent = new ProcessBuilder(PROGRAM, "serve", "0", String.valueOf(FILE_BYTES)).start();
        try (BufferedReader lines = agent.inputReader(UTF_8)) {
            URI address = URI.create("http://" + lines.readLine() + "/file");
            for (int i = 0; i < 2; i++) {
                try (InputStream body = address.toURL().openStream()) {
                    assertEquals(FILE_BYTES, body.readAllBytes().length);
                }
            }
        } finally {
            agent.destroyForcibly();
        }
    }

    @Test
    void shouldReplayAScriptWithItsAnswersInOrder() throws IOException {
        Path script = Files.writeString(
                folder.resolve("script"), "<\n>first\n<\n>second\n=\n>begin\n*[@TOKEN@]\n>all: @MESSAGE@!\n");
        Process agent = new ProcessBuilder(PROGRAM, "replay", script.toString(), "100000").start();
        try (BufferedReader lines = agent.inputReader(UTF_8);
                Writer input = agent.outputWriter(UTF_8)) {
            for (String answer : List.of("first", "second")) {
                input.write("a request\n");
                input.flush();
                assertEquals(answer, lines.readLine());
            }
            for (int round = 0; round < 2; round++) {
                assertEquals("begin", lines.readLine());
                StringBuilder message = new StringBuilder();
                for (int token = 1; token <= 500; token++) {
                    String line = lines.readLine();
                    assertTrue(line.matches("\\[@\\d+ " + (round * 500 + token) + ";]"), line);
                    message.append(line, 1, line.length() - 1);
                }
                assertEquals("all: " + message + "!", lines.readLine());
            }
        } finally {
            agent.destroyForcibly();
        }
    }
}
