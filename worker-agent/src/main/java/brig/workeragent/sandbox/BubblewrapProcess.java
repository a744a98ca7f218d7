package brig.workeragent.sandbox;

import brig.protocol.control.Posture;
import brig.workeragent.pipe.InputPipe;
import brig.workeragent.pipe.OutputPipe;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A payload that runs behind its wall. The streams are pipes: unread output blocks the payload, and nothing is lost.
 * The caller closes its streams, which remain readable after the exit.
 */
public final class BubblewrapProcess {

    private final WallLaunch flight;
    private final Stdio stdio;
    private final int hostPid;
    private final Posture posture;
    private final WalledNetwork network;

    BubblewrapProcess(WallLaunch flight, Stdio stdio, int hostPid, Posture posture, WalledNetwork network) {
        this.flight = flight;
        this.stdio = stdio;
        this.hostPid = hostPid;
        this.posture = posture;
        this.network = network;
    }

    /** The worker-agent's ends of the payload's standard streams. */
    record Stdio(@Nullable InputPipe stdin, OutputPipe stdout, OutputPipe stderr) {}

    /** Ends when no process in the wall holds the other end. */
    public OutputPipe stdout() {
        return stdio.stdout();
    }

    /** As {@link #stdout}. */
    public OutputPipe stderr() {
        return stdio.stderr();
    }

    /** Null if the request asked for none. Closing it is the end of input for the payload. */
    public @Nullable InputPipe stdin() {
        return stdio.stdin();
    }

    /** The host's pid of process 1 of the wall; valid only until the exit. */
    public int hostPid() {
        return hostPid;
    }

    /** The wall's posture, measured before the payload started; every property holds. */
    public Posture posture() {
        return posture;
    }

    /** Its sockets, to be closed by the caller. */
    public WalledNetwork network() {
        return network;
    }

    /** Sends SIGTERM to the payload. No effect after its end. */
    public void terminate() {
        flight.terminate();
    }

    /** Ends every process of the wall at once. No effect after its end. */
    public void kill() {
        flight.kill();
    }

    /**
     * Completes when no process of the wall is left. Fails with {@link SandboxException} and LAUNCHER_DIED if the
     * launcher ended, in which case the kernel is killing the wall.
     */
    public CompletableFuture<ProcessExit> exit() {
        return flight.exit();
    }
}
