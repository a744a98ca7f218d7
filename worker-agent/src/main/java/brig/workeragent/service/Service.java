package brig.workeragent.service;

import brig.formats.adapter.Frames;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Chunk.Channel;
import brig.protocol.frame.Frame.SubAgent.Status;
import brig.workeragent.image.Images;
import brig.workeragent.pipe.OutputPipe;
import brig.workeragent.profile.ServiceProfile;
import brig.workeragent.pump.Outbox;
import brig.workeragent.pump.OutputPump;
import brig.workeragent.wall.ProcessEnd;
import brig.workeragent.wall.Wall;
import brig.workeragent.wall.WalledProcess;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** One server of a session: its process, and a frame for whatever it writes. */
final class Service {
    /** Between two looks at its health. */
    private static final long LOOK_MS = 200;

    private static final long LAST_LINES_MS = 2000;

    private final String name;
    private final ServiceProfile profile;
    private final Wall wall;
    private final Wall health;
    private final Images.Lease root;
    private final Outbox outbox;
    private final LongSupplier clock;
    private final LastLines last = new LastLines();
    private volatile @Nullable WalledProcess process;
    /** Whether its end is a failure of which nobody is told otherwise. */
    private volatile boolean isExpectedToLive;

    private volatile boolean isAbandoned;

    /** @param health a wall like its own, whose programs find it on 127.0.0.1 */
    Service(
            String name,
            ServiceProfile profile,
            Wall wall,
            Wall health,
            Images.Lease root,
            Outbox outbox,
            LongSupplier clock) {
        this.name = name;
        this.profile = profile;
        this.wall = wall;
        this.health = health;
        this.root = root;
        this.outbox = outbox;
        this.clock = clock;
    }

    /** Blocks until it can be used. @throws BrigException {@code SERVICE_FAILED}, and what a wall is refused with */
    void start() throws InterruptedException {
        WalledProcess started;
        try {
            started = wall.start(profile.command(), null, false, null);
        } catch (BrigException e) {
            throw new BrigException(e.code(), "the service '" + name + "' cannot be started: " + e.getMessage());
        }
        process = started;
        tell(Status.RUNNING, null);
        CompletableFuture<Void> written =
                CompletableFuture.allOf(pump(started.stdout(), Channel.STDOUT), pump(started.stderr(), Channel.STDERR));
        // Its last lines are part of what is told. A pump may wait for a reader of the stream.
        CompletableFuture<ProcessEnd> end = started.end()
                .thenCompose(ended -> written.completeOnTimeout(null, LAST_LINES_MS, TimeUnit.MILLISECONDS)
                        .thenApply(nothing -> ended));
        awaitHealth(end);
        isExpectedToLive = true;
        var unused = end.thenAccept(this::handleEnd);
    }

    private CompletableFuture<Void> pump(OutputPipe pipe, Channel channel) {
        ServiceOutput output = new ServiceOutput(piece -> {
            last.add(piece);
            append(new Frame.Chunk(id(), null, channel, piece));
        });
        return new OutputPump(pipe, output, outbox, clock).start();
    }

    private void awaitHealth(CompletableFuture<ProcessEnd> end) throws InterruptedException {
        long untilMs = clock.getAsLong() + profile.startMs();
        for (boolean isHealthy = isHealthy(untilMs); !isHealthy; isHealthy = isHealthy(untilMs)) {
            if (isAbandoned) {
                throw failed("was ended before it could be used");
            }
            if (end.isDone()) {
                throw failed("ended with exit code " + end.join().exitCode() + " before it could be used");
            }
            if (clock.getAsLong() >= untilMs) {
                throw failed("could not be used after " + profile.startMs() + " ms (startMs)");
            }
            waitFor(end, LOOK_MS);
        }
    }

    private boolean isHealthy(long untilMs) throws InterruptedException {
        if (profile.health().isEmpty()) {
            return profile.ports().stream().allMatch(port -> wall.listens(port).join());
        }
        WalledProcess look = health.start(profile.health(), null, false, null);
        LastLines said = new LastLines();
        for (OutputPipe pipe : new OutputPipe[] {look.stdout(), look.stderr()}) {
            var unused = new OutputPump(pipe, new ServiceOutput(said::add), outbox, clock).start();
        }
        waitFor(look.end(), Math.max(LOOK_MS, untilMs - clock.getAsLong()));
        look.kill();
        return look.end().join().exitCode() == 0;
    }

    private static void waitFor(CompletableFuture<ProcessEnd> end, long ms) throws InterruptedException {
        try {
            end.get(ms, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // The caller looks at the time itself.
        } catch (ExecutionException e) {
            throw new IllegalStateException("an end fails never", e);
        }
    }

    private BrigException failed(String why) {
        return new BrigException(ErrorCode.SERVICE_FAILED, "the service '" + name + "' " + why + last.told());
    }

    /** It was up, and the agent may need it. */
    private void handleEnd(ProcessEnd end) {
        if (isExpectedToLive) {
            BrigException failure = failed("ended with exit code " + end.exitCode());
            tell(Status.FAILED, "exit code " + end.exitCode());
            append(new Frame.Failure(
                    String.valueOf(failure.getMessage()),
                    failure.code().name(),
                    id(),
                    null,
                    null,
                    false,
                    null,
                    null,
                    null));
        }
    }

    /** Nobody waits for it any more: a start is to fail soon. */
    void abandon() {
        isAbandoned = true;
        WalledProcess running = process;
        if (running != null) {
            running.kill();
        }
    }

    /** Ends it. Blocks until nothing of it is left. */
    void close() {
        WalledProcess running = process;
        if (running != null) {
            boolean isUp = isExpectedToLive && !running.end().isDone();
            isExpectedToLive = false;
            running.kill();
            running.end().join();
            running.stdout().close();
            running.stderr().close();
            if (isUp) {
                tell(Status.COMPLETED, null);
            }
        }
        wall.close();
        health.close();
        root.close();
    }

    Wall wall() {
        return wall;
    }

    ServiceProfile profile() {
        return profile;
    }

    private String id() {
        return "service:" + name;
    }

    private void tell(Status status, @Nullable String error) {
        append(new Frame.SubAgent(null, id(), null, null, null, null, "service", 1L, status, true, null, error, 0));
    }

    /** What comes after the last frame of the session is dropped. */
    private void append(Frame frame) {
        outbox.appendNumbered(frame.type(), Frames.body(clock.getAsLong(), frame));
    }
}
