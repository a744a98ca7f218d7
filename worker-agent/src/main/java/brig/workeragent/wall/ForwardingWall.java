package brig.workeragent.wall;

import brig.protocol.control.Posture;
import brig.protocol.spawn.TerminalSize;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A wall that does what another one does. */
public abstract class ForwardingWall implements Wall {
    private final Wall wall;

    protected ForwardingWall(Wall wall) {
        this.wall = wall;
    }

    @Override
    public WalledProcess start(
            List<String> command, @Nullable String message, boolean stdinPipe, @Nullable TerminalSize tty)
            throws InterruptedException {
        return wall.start(command, message, stdinPipe, tty);
    }

    @Override
    public Posture measure() throws InterruptedException {
        return wall.measure();
    }

    @Override
    public void abandonStart() {
        wall.abandonStart();
    }

    @Override
    public CompletableFuture<Integer> dial(int port) {
        return wall.dial(port);
    }

    @Override
    public CompletableFuture<Boolean> listens(int port) {
        return wall.listens(port);
    }

    @Override
    public void close() {
        wall.close();
    }
}
