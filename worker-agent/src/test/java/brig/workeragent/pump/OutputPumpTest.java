package brig.workeragent.pump;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.formats.Adapters;
import brig.formats.adapter.Adapter;
import brig.formats.adapter.AgentTask;
import brig.formats.adapter.Asks;
import brig.formats.permission.Permissions;
import brig.protocol.spawn.PermissionMode;
import brig.workeragent.pipe.StreamPipe;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OutputPumpTest {
    private static CompletableFuture<Void> pump(InputStream pipe, Outbox outbox) {
        Adapter text = Adapters.named("text").orElseThrow();
        return new OutputPump(
                        new StreamPipe(pipe),
                        text.open(new Adapter.Context(
                                        outbox,
                                        bytes -> false,
                                        new Asks() {
                                            @Override
                                            public void open(Request request, Consumer<Reply> reply) {}

                                            @Override
                                            public void withdraw(String nativeId) {}
                                        },
                                        () -> {},
                                        new AgentTask(
                                                "/",
                                                null,
                                                null,
                                                null,
                                                false,
                                                new Permissions(PermissionMode.ALLOW, List.of()))))
                                .reader(Adapter.Pipe.STDOUT),
                        outbox,
                        () -> 1)
                .start();
    }

    @Test
    void shouldStopReadingWhenOutboxIsFullAndGoOnWhenAcknowledged() throws Exception {
        // Scenario: an agent that writes without end, and nobody who reads: its writes must come to a stand.
        Outbox outbox = new Outbox(100_000);
        PipedOutputStream agent = new PipedOutputStream();
        CompletableFuture<Void> finished = pump(new PipedInputStream(agent, 64 * 1024), outbox);
        CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> {
            try (agent) {
                for (int i = 0; i < 100; i++) {
                    agent.write("x".repeat(10_000).getBytes(UTF_8));
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        long most = 0;
        while (!finished.isDone()) {
            most = Math.max(most, outbox.memoryBytes());
            if (outbox.memoryBytes() >= 100_000 || writing.isDone()) {
                outbox.ack(outbox.lastSeq());
            }
        }
        writing.get(20, TimeUnit.SECONDS);
        assertTrue(most < 300_000, "bytes kept: " + most);
    }

    @Test
    void shouldReadOnAlthoughNobodyTakesUntilTheOutboxIsFull() throws Exception {
        // Scenario: the outbox is over half full, and stays so: output collects before each read, but is read.
        Outbox outbox = new Outbox(100_000);
        PipedOutputStream agent = new PipedOutputStream();
        CompletableFuture<Void> finished = pump(new PipedInputStream(agent, 64 * 1024), outbox);
        agent.write("x".repeat(60_000).getBytes(UTF_8));
        agent.write("x".repeat(1000).getBytes(UTF_8));
        agent.close();
        finished.get(20, TimeUnit.SECONDS);
        assertTrue(outbox.memoryBytes() > 61_000, "bytes kept: " + outbox.memoryBytes());
    }

    @Test
    void shouldFinishWhenPipeBreaks() throws Exception {
        Outbox outbox = new Outbox(1000);
        pump(
                        new InputStream() {
                            @Override
                            public int read() throws IOException {
                                return read(new byte[1], 0, 1);
                            }

                            @Override
                            public int read(byte[] bytes, int offset, int length) throws IOException {
                                throw new IOException("broken");
                            }
                        },
                        outbox)
                .get(20, TimeUnit.SECONDS);
        assertEquals(0, outbox.lastSeq());
    }
}
