package brig.mcp;

import brig.captain.CaptainGateway;
import brig.protocol.BrigException;
import brig.protocol.SpawnState;
import brig.protocol.api.SpawnView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.frame.Frame;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.JsonObject;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Reads a session from a cursor on, for one call: to what is there, or until something has come that its captain waits
 * for. It survives a restart of the gateway. Used once.
 *
 * <p>Decision 0183.
 */
final class SessionReading {
    private static final int PROGRESS_SECONDS = 10;
    /** Without a frame for so long, and then every so many seconds, the gateway is asked whether the agent works. */
    private static final int QUIET_SECONDS = 2;

    private static final int ASK_AGAIN_SECONDS = 15;

    private static final int REPLAY_SECONDS_MAX = 45;

    /**
     * What was read.
     *
     * @param next where the next reading begins
     * @param view the session's state; as it was before if the gateway did not answer in time
     * @param running whether the agent works, or may work
     * @param more whether there is more already
     */
    record Outcome(Cursor next, SpawnView view, boolean running, boolean more) {}

    private final CaptainGateway gateway;
    private final Ticks ticks;
    private final Executor threads;
    private final StreamText text;
    private final Running call;

    // Owned by the reading thread.
    private final Set<String> openAsks = new HashSet<>();
    private boolean turnOpen;
    private boolean turnEnded;
    private boolean terminated;

    // The reading thread writes, the ticks read.
    private volatile long next;
    private volatile boolean idle;

    // Owned by the ticks.
    private long nextBefore;
    private int quietSeconds;

    SessionReading(CaptainGateway gateway, Ticks ticks, Executor threads, StreamText text, Running call) {
        this.gateway = gateway;
        this.ticks = ticks;
        this.threads = threads;
        this.text = text;
        this.call = call;
    }

    private SpawnView view(String session) {
        return gateway.request(new SpawnerRequest.Status(session), SpawnView.class);
    }

    static boolean isRunning(SpawnView view) {
        return switch (view.activity()) {
            case STARTING, WORKING, THROTTLED_BY_PROVIDER, WAITING, UNKNOWN, UNREACHABLE -> true;
            case IDLE, FAILED, ENDED -> false;
        };
    }

    private static boolean isOver(SpawnView view) {
        return view.state() == SpawnState.TERMINATED || view.state() == SpawnState.FAILED;
    }

    private static long begin(SpawnView view, Cursor from, StreamText text) {
        if (from.isOfAnother(view.epoch())) {
            text.note("the stream began anew; what it had before is lost");
            return 1;
        }
        if (from.next() > view.lastSeq() + 1) {
            throw BrigException.invalid("cursor", "is beyond the newest frame, " + view.lastSeq());
        }
        return from.next();
    }

    /** Reads what is there. */
    Outcome replay(String session, Cursor from) {
        SpawnView view = view(session);
        next = begin(view, from, text);
        if (next <= view.lastSeq()) {
            try (SessionLine line = new SessionLine(gateway, ticks, view.spawnId());
                    Ticks.Ticking _ = ticks.start(second -> {
                        if (second >= REPLAY_SECONDS_MAX) {
                            line.end();
                        }
                    })) {
                call.onCancel(line::end);
                read(line, view.lastSeq(), true);
            }
        }
        return outcome(view, isRunning(view), next <= view.lastSeq());
    }

    /** Reads until a turn has ended, an ask waits or the session is over, at most so many seconds. */
    Outcome await(String session, Cursor from, int seconds) {
        SpawnView view = view(session);
        next = begin(view, from, text);
        if (isOver(view) && next > view.lastSeq()) {
            return outcome(view, false, false);
        }
        turnOpen = isRunning(view);
        try (SessionLine line = new SessionLine(gateway, ticks, view.spawnId());
                Ticks.Ticking _ = ticks.start(second -> handleTick(second, seconds, view.spawnId(), line))) {
            call.onCancel(line::end);
            read(line, view.lastSeq(), false);
            boolean inTime = !line.isOver();
            SpawnView now = inTime ? view(session) : view;
            boolean running = inTime ? isRunning(now) : !idle && !terminated;
            return outcome(now, running, inTime && next <= now.lastSeq());
        }
    }

    private Outcome outcome(SpawnView view, boolean running, boolean more) {
        return new Outcome(new Cursor(next, view.epoch()), view, running, more);
    }

    private void handleTick(int second, int seconds, String spawnId, SessionLine line) {
        if (second >= seconds) {
            line.end();
            return;
        }
        if (second % PROGRESS_SECONDS == 0) {
            String newest = text.newest();
            call.progress(second, seconds, newest.isEmpty() ? "the agent works" : newest);
        }
        quietSeconds = next == nextBefore ? quietSeconds + 1 : 0;
        nextBefore = next;
        if (quietSeconds == QUIET_SECONDS || quietSeconds % ASK_AGAIN_SECONDS == ASK_AGAIN_SECONDS - 1) {
            threads.execute(() -> endIfIdle(spawnId, line));
        }
    }

    /** A session without a message to work on has nothing to wait for. */
    private void endIfIdle(String spawnId, SessionLine line) {
        try {
            SpawnView view = view(spawnId);
            if (!isRunning(view) && view.lastSeq() < next) {
                idle = true;
                line.end();
            }
        } catch (BrigException gone) {
            // The reader finds out itself, and connects again.
        }
    }

    /** @param until the newest frame at the time of the call */
    private void read(SessionLine line, long until, boolean replay) {
        String epoch = null;
        CaptainGateway.Attached from = line.open(next);
        while (from != null) {
            String stream = from.welcome().epoch();
            if (epoch != null && !epoch.equals(stream)) {
                text.note("the stream began anew; what it had before is lost");
                next = 1;
            }
            epoch = stream;
            for (JsonObject read = from.next(); read != null; read = from.next()) {
                add(read);
                boolean isThere = next > until;
                if (text.isFull() || terminated || (isThere && (replay || isAwaited()))) {
                    return;
                }
            }
            from.close();
            ticks.pause();
            from = line.open(next);
        }
    }

    private boolean isAwaited() {
        return !openAsks.isEmpty() || (turnEnded && !turnOpen);
    }

    private void add(JsonObject line) {
        if (line.has("seq")) {
            next = line.number("seq", 0) + 1;
            add(line.as(NumberedFrame.class).frame());
        } else if (ConnectionLine.read(line) instanceof ConnectionLine.Gap gap) {
            next = Math.max(next, gap.to() + 1);
            text.add(gap);
        }
    }

    private void add(@Nullable Frame frame) {
        switch (frame) {
            case Frame.Message message -> turnOpen |= !message.more();
            case Frame.Done _ -> {
                turnOpen = false;
                turnEnded = true;
                openAsks.clear();
            }
            case Frame.State state -> terminated |= state.isTerminated();
            case Frame.Ask ask -> openAsks.add(ask.askId());
            case Frame.Answered answered -> openAsks.remove(answered.askId());
            case null, default -> {}
        }
        text.add(frame);
    }
}
