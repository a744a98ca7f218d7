package brig.workeragent.worker;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.Finding;
import brig.protocol.control.FindingStatus;
import brig.protocol.control.Posture;
import brig.protocol.spawn.TerminalSize;
import brig.workeragent.pipe.InputPipe;
import brig.workeragent.pipe.OutputPipe;
import brig.workeragent.pipe.StreamInput;
import brig.workeragent.pipe.StreamPipe;
import brig.workeragent.wall.ProcessEnd;
import brig.workeragent.wall.Wall;
import brig.workeragent.wall.WalledProcess;
import brig.workeragent.wall.Walls;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Walls without processes: the test is the agent. */
final class FakeWalls implements Walls {
    final BlockingQueue<FakeProcess> started = new LinkedBlockingQueue<>();
    static final Posture POSTURE =
            new Posture("none", List.of(), List.of(new Posture.Property("tried", FindingStatus.OK, "yes")), null);
    final AtomicInteger built = new AtomicInteger();
    final AtomicInteger closed = new AtomicInteger();
    volatile Plan lastPlan;
    /** What the next starts are refused with. */
    volatile BrigException refusal;
    /** Completed starts wait for this. */
    volatile CompletableFuture<Void> mayStart = CompletableFuture.completedFuture(null);

    /** A process whose output and end the test decides. */
    static final class FakeProcess implements WalledProcess {
        final List<String> command;
        final PipedOutputStream out = new PipedOutputStream();
        final PipedOutputStream err = new PipedOutputStream();
        final PipedInputStream stdinSeen = new PipedInputStream(1024);
        final List<String> signals = new ArrayList<>();
        final CompletableFuture<Void> killed = new CompletableFuture<>();
        final CompletableFuture<ProcessEnd> end = new CompletableFuture<>();
        private final OutputPipe outPipe = new StreamPipe(new PipedInputStream(out, 64 * 1024));
        private final OutputPipe errPipe = new StreamPipe(new PipedInputStream(err, 1024));
        private final InputPipe stdin;

        FakeProcess(List<String> command, boolean stdinPipe) throws IOException {
            this.command = command;
            this.stdin = stdinPipe ? new StreamInput(new PipedOutputStream(stdinSeen)) : null;
        }

        void exit(int code) throws IOException {
            exit(new ProcessEnd(code, null, false));
        }

        void exit(ProcessEnd how) throws IOException {
            out.close();
            err.close();
            end.complete(how);
        }

        @Override
        public OutputPipe stdout() {
            return outPipe;
        }

        @Override
        public OutputPipe stderr() {
            return errPipe;
        }

        @Override
        public InputPipe stdin() {
            return stdin;
        }

        @Override
        public Posture posture() {
            return POSTURE;
        }

        @Override
        public synchronized void terminate() {
            signals.add("TERM");
        }

        @Override
        public synchronized void kill() {
            signals.add("KILL");
            killed.complete(null);
        }

        @Override
        public CompletableFuture<ProcessEnd> end() {
            return end;
        }
    }

    @Override
    public Path workspace(Path requested) {
        return requested;
    }

    @Override
    public void checkWorkspace(Path requested) {
        if (!requested.startsWith("/workspaces")) {
            throw new BrigException(ErrorCode.WORKSPACE_OUTSIDE_BASE, requested + " is outside");
        }
    }

    @Override
    public Wall build(Plan plan) {
        built.incrementAndGet();
        lastPlan = plan;
        return new Wall() {
            @Override
            public WalledProcess start(List<String> command, String message, boolean stdinPipe, TerminalSize tty) {
                mayStart.join();
                if (refusal != null) {
                    throw refusal;
                }
                try {
                    FakeProcess process = new FakeProcess(command, stdinPipe);
                    started.add(process);
                    return process;
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }

            @Override
            public Posture measure() {
                mayStart.join();
                if (refusal != null) {
                    throw refusal;
                }
                return POSTURE;
            }

            @Override
            public CompletableFuture<Boolean> listens(int port) {
                return CompletableFuture.completedFuture(false);
            }

            @Override
            public CompletableFuture<Integer> dial(int port) {
                return CompletableFuture.failedFuture(new BrigException(ErrorCode.NOT_FOUND, "no network"));
            }

            @Override
            public void close() {
                closed.incrementAndGet();
            }
        };
    }

    FakeProcess next() throws InterruptedException {
        FakeProcess process = started.poll(20, TimeUnit.SECONDS);
        if (process == null) {
            throw new AssertionError("no process was started");
        }
        return process;
    }

    @Override
    public String limitsLevel() {
        return "none";
    }

    @Override
    public List<Finding> findings() {
        return List.of();
    }

    @Override
    public void close() {}
}
