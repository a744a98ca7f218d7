package brig.gateway.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real programs and sockets of this host, with output of any length. */
class SystemProcessesTest {
    private final SystemProcesses processes = new SystemProcesses(Runnable::run);

    private Processes.Ended run(Processes.@Nullable Input input, String script) throws Exception {
        CompletableFuture<Processes.Ended> ended = new CompletableFuture<>();
        processes.start(List.of("sh", "-c", script), input, ended::complete);
        return ended.get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldKeepTheEndOfAHundredMegabytesWithoutALine() throws Exception {
        Processes.Ended ended =
                run(null, "head -c 100000000 /dev/zero; head -c 100000000 /dev/zero >&2; printf end; exit 3");
        assertEquals(3, ended.code());
        assertEquals(Tail.BYTES_MAX, ended.out().bytes().length);
        assertTrue(ended.out().text().endsWith("\0end"));
        assertTrue(ended.errors().truncated());
    }

    @Test
    void shouldSendAFileAndSayHowFarItIs(@TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("f"), new byte[300_000]);
        CompletableFuture<Processes.Ended> ended = new CompletableFuture<>();
        long[] sent = new long[1];
        processes.start(List.of("wc", "-c"), new Processes.Input.OfFile(file), new Processes.Listener() {
            @Override
            public void handleEnded(Processes.Ended end) {
                ended.complete(end);
            }

            @Override
            public void handleSent(long bytes) {
                sent[0] = bytes;
            }
        });
        assertEquals("300000", ended.get(60, TimeUnit.SECONDS).out().text().strip());
        assertEquals(300_000, sent[0]);
    }

    @Test
    void shouldEndWhereAProgramTakesNoInput(@TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("f"), new byte[3_000_000]);
        assertEquals(5, run(new Processes.Input.OfFile(file), "exit 5").code());
    }

    @Test
    void shouldAskNobodyAndTellOfWhatCannotBeStarted() throws Exception {
        assertEquals("", run(null, "cat; [ -t 0 ]").out().text());
        CompletableFuture<Processes.Ended> ended = new CompletableFuture<>();
        processes.start(List.of("/nowhere/ssh"), null, ended::complete);
        assertEquals(Processes.NOT_STARTED, ended.get(60, TimeUnit.SECONDS).code());
        assertTrue(ended.get().errors().text().contains("cannot be started"));
    }

    @Test
    void shouldEndAProgram() throws Exception {
        CompletableFuture<Processes.Ended> ended = new CompletableFuture<>();
        processes.start(List.of("sleep", "1000"), null, ended::complete).end();
        assertEquals(143, ended.get(60, TimeUnit.SECONDS).code());
    }
}
