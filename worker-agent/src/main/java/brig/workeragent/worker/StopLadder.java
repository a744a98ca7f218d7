package brig.workeragent.worker;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a process as gently as possible: cancel it in its protocol, close its standard input, SIGTERM, end of its PID
 * namespace. Each step has a deadline; steps that the process lacks are skipped. Agents start tools in sessions of
 * their own, so only the last step surely leaves nothing, and it follows unless an earlier one succeeded.
 *
 * <p>Owned by the worker's sequence.
 */
final class StopLadder {
    /** The actions of the steps. */
    interface Steps {
        /** Cancels the agent in its protocol; false if that has no such request. */
        boolean cancelInBand();

        /** Closes standard input; false if it is not a pipe, or already closed. */
        boolean closeStdin();

        void terminate();

        void kill();
    }

    private enum Rung {
        GROUND,
        IN_BAND,
        CLOSE_STDIN,
        TERMINATE,
        KILL
    }

    private static final Logger LOG = LoggerFactory.getLogger(StopLadder.class);

    private final String spawnId;
    private final Steps process;
    private final StopTimes times;
    private final Timers timers;
    private Rung rung = Rung.GROUND;
    private Timers.@Nullable Timer deadline;

    StopLadder(String spawnId, Steps process, StopTimes times, Timers timers) {
        this.spawnId = spawnId;
        this.process = process;
        this.times = times;
        this.timers = timers;
    }

    /** Takes the first step. Idempotent: deadlines are not restarted. */
    void begin() {
        if (rung == Rung.GROUND) {
            climb();
        }
    }

    /** Lets the process end by itself: closes its standard input, and continues the ladder after the grace time. */
    void finish(long graceMs) {
        if (rung == Rung.GROUND) {
            enter(Rung.CLOSE_STDIN, process.closeStdin(), graceMs);
        }
    }

    boolean begun() {
        return rung != Rung.GROUND;
    }

    /**
     * The agent confirmed the cancel.
     *
     * @param goOn whether that suffices; if not, the process itself has to end
     */
    void handleObeyed(boolean goOn) {
        if (rung == Rung.IN_BAND) {
            handleEnd();
            if (goOn) {
                rung = Rung.GROUND;
            } else {
                climb();
            }
        }
    }

    /** The process is gone. */
    void handleEnd() {
        if (deadline != null) {
            deadline.cancel();
            deadline = null;
        }
    }

    private void handleDeadline() {
        if (deadline != null) {
            climb();
        }
    }

    private void climb() {
        switch (rung) {
            case GROUND -> enter(Rung.IN_BAND, process.cancelInBand(), times.termGrace());
            case IN_BAND -> enter(Rung.CLOSE_STDIN, process.closeStdin(), times.stdinGrace());
            case CLOSE_STDIN -> {
                process.terminate();
                enter(Rung.TERMINATE, true, times.termGrace());
            }
            case TERMINATE -> {
                rung = Rung.KILL;
                LOG.info("killing spawn_id={}", spawnId);
                process.kill();
            }
            case KILL -> throw new IllegalStateException("nothing is above the last rung");
        }
    }

    private void enter(Rung next, boolean taken, long graceMs) {
        rung = next;
        if (taken) {
            LOG.info("stopping spawn_id={} rung={}", spawnId, next);
            deadline = timers.schedule(graceMs, this::handleDeadline);
        } else {
            climb();
        }
    }
}
