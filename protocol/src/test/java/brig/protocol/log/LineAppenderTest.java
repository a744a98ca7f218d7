package brig.protocol.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LineAppenderTest {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final CountDownLatch writing = new CountDownLatch(1);
    private final CountDownLatch read = new CountDownLatch(1);
    private final LoggerContext context = new LoggerContext();
    private final Logger logger = context.getLogger("Test");
    private LineAppender appender;

    /** A pipe that is not read yet. */
    private final class Pipe extends OutputStream {
        @Override
        public void write(int b) {
            throw new AssertionError("a line is written at once");
        }

        @Override
        public void write(byte[] line) throws IOException {
            writing.countDown();
            try {
                read.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            written.write(line);
        }
    }

    @BeforeEach
    void start() {
        context.setMDCAdapter(new LogbackMDCAdapter());
        appender = new LineAppender(new Pipe(), new LineEncoder(() -> false));
        appender.setContext(context);
        appender.setQueued(true);
        appender.start();
        logger.addAppender(appender);
    }

    @AfterEach
    void stop() {
        read.countDown();
        context.stop();
    }

    private List<String> messages() {
        return written.toString(UTF_8)
                .lines()
                .map(line -> line.replaceFirst("^\\S+ ", ""))
                .toList();
    }

    @Test
    void shouldHoldUpNobodyAndSayWhatIsMissingWhenNobodyReads() throws InterruptedException {
        logger.info("first");
        writing.await();
        for (int i = 0; i < LineAppender.EVENTS_MAX + 3; i++) {
            logger.info("number {}", i);
        }
        assertEquals(List.of(), messages());
        read.countDown();
        appender.flush();
        logger.info("last");
        appender.flush();
        List<String> expected = Stream.of(
                        Stream.of(
                                "INFO  Test first",
                                "WARN  LineAppender 3 lines of the log are missing around here: they were not read in time"),
                        IntStream.range(0, LineAppender.EVENTS_MAX).mapToObj(i -> "INFO  Test number " + i),
                        Stream.of("INFO  Test last"))
                .flatMap(lines -> lines)
                .toList();
        assertEquals(expected, messages());
    }

    @Test
    void shouldSaySoAtOnceWhenItIsRead() {
        read.countDown();
        logger.info("one {}", "sk-ant-api03-" + "a".repeat(40));
        LogOutput.flush();
        assertEquals(1, messages().size());
        assertTrue(!messages().getFirst().contains("aaaa"), messages()::toString);
    }

    @Test
    void shouldHoldLinesBackWhileTheTerminalIsLent() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        LineAppender direct = new LineAppender(out, new LineEncoder(() -> false));
        direct.setContext(context);
        direct.start();
        Logger lent = context.getLogger("Lent");
        lent.setAdditive(false);
        lent.addAppender(direct);
        lent.warn("before");
        try (LogOutput.Hold _ = LogOutput.hold()) {
            IntStream.range(0, LineAppender.EVENTS_MAX + 2).forEach(i -> lent.warn("held {}", i));
            assertEquals(1, out.toString(UTF_8).lines().count());
        }
        lent.warn("after");
        String all = out.toString(UTF_8);
        assertEquals(1 + LineAppender.EVENTS_MAX + 2, all.lines().count());
        assertTrue(all.contains("held 0") && all.contains("2 lines of the log are missing around here"));
        direct.stop();
    }
}
