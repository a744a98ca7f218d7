package brig.workeragent.service;

import brig.protocol.control.Posture;
import brig.protocol.spawn.TerminalSize;
import brig.workeragent.wall.ForwardingWall;
import brig.workeragent.wall.Wall;
import brig.workeragent.wall.WalledProcess;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A wall where something has to be there before its first process. */
final class PreparedWall extends ForwardingWall {
    /** What has to be there. */
    interface Before {
        /** Whether the wall cannot be measured without it. */
        boolean isPartOfWall();

        /** Called once, before the first process. Blocks until it is there. */
        void start() throws InterruptedException;

        /** Nobody waits for it any more: {@link #start} is to fail soon. */
        void abandon();

        /** Ends it. Blocks until nothing of it is left. */
        void close();
    }

    private final Before before;
    private boolean isPrepared;

    PreparedWall(Before before, Wall wall) {
        super(wall);
        this.before = before;
    }

    /** Called for one process at a time. */
    private void prepare() throws InterruptedException {
        if (!isPrepared) {
            isPrepared = true;
            before.start();
        }
    }

    @Override
    public WalledProcess start(
            List<String> command, @Nullable String message, boolean stdinPipe, @Nullable TerminalSize tty)
            throws InterruptedException {
        prepare();
        return super.start(command, message, stdinPipe, tty);
    }

    @Override
    public Posture measure() throws InterruptedException {
        if (before.isPartOfWall()) {
            prepare();
        }
        return super.measure();
    }

    @Override
    public void abandonStart() {
        before.abandon();
        super.abandonStart();
    }

    @Override
    public void close() {
        before.close();
        super.close();
    }
}
