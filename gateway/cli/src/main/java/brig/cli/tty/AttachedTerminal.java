package brig.cli.tty;

import brig.captain.CaptainGateway.Attached;
import brig.cli.terminal.RawTerminal;
import brig.cli.terminal.Window;
import brig.protocol.BrigException;
import brig.protocol.frame.CaptainLine;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.TerminalSize;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A person at an agent's terminal, until the keys that detach, or the end of the session. While there is no connection it waits
 * for the gateway, and then goes on where it was.
 *
 * <p>Decision 0186.
 */
public final class AttachedTerminal {
    private static final int INPUT_BYTES = 8192;
    private static final char INTERRUPT = 3;
    private static final String CAPTAIN = "captain";
    private static final long NOTICE_MS = 4_000;
    private static final long FOLLOWED_MS = 300;
    private static final long RELEASE_MS = 800;
    private static final long PAUSE_MS_MIN = 100;
    private static final long PAUSE_MS_MAX = 2_000;

    /**
     * How it ended.
     *
     * @param detached whether the session goes on
     * @param exitCode that of the agent; 0 if the session goes on
     */
    public record End(boolean detached, int exitCode) {}

    private final Window screen;
    private final LongFunction<Attached> door;
    private final DetachKeys detachKeys;
    /** Why the keys do not detach; null if they do. */
    private final @Nullable String stay;

    private final Picture picture;
    private final TtyStream stream;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("brig-notices").factory());

    private final CountDownLatch detached = new CountDownLatch(1);

    // Guarded by this.
    private @Nullable Attached connection;
    private @Nullable ScheduledFuture<?> clearing;

    /** Keys are sent in the order in which they are typed. */
    private final Object typing = new Object();
    // Guarded by typing.
    private @Nullable ScheduledFuture<?> releasing;

    /**
     * @param door opens a connection from that frame on, or from the newest checkpoint for {@code StreamPosition.SCREEN}; throws a
     *     refusal
     * @param stay is said instead of detaching; null if the person may leave
     */
    public AttachedTerminal(Window screen, LongFunction<Attached> door, DetachKeys detachKeys, @Nullable String stay) {
        this.screen = screen;
        this.door = door;
        this.detachKeys = detachKeys;
        this.stay = stay;
        this.picture = new Picture(size(screen), screen);
        this.stream = new TtyStream(picture, this::notice);
    }

    private static TerminalSize size(Window screen) {
        RawTerminal.Size window = screen.size();
        return new TerminalSize(
                Math.clamp(window.columns(), 1, TerminalSize.COLS_MAX),
                Math.clamp(window.rows(), 1, TerminalSize.ROWS_MAX));
    }

    /**
     * Shows it until it ends.
     *
     * @param first a connection that begins with the newest checkpoint
     * @param typed what the person types
     * @throws BrigException if the session cannot be read any more
     */
    public End run(Attached first, InputStream typed) {
        screen.whenChanged(this::resize);
        screen.say("waiting for the agent's terminal");
        use(first);
        Thread.ofPlatform().daemon().name("brig-keys").start(() -> sendKeys(typed));
        read(first);
        while (!stream.isEnded() && !isDetached()) {
            screen.say("the connection to the gateway is lost; waiting for it (Ctrl-C leaves)");
            Attached next = reconnect();
            if (next != null) {
                use(next);
                picture.redraw();
                read(next);
            }
        }
        return new End(!stream.isEnded(), stream.isEnded() ? stream.exitCode() : 0);
    }

    private static CaptainLine.Resize resize(TerminalSize size) {
        return new CaptainLine.Resize(size.cols(), size.rows());
    }

    private void use(Attached opened) {
        boolean leave;
        synchronized (this) {
            connection = opened;
            leave = isDetached();
        }
        if (leave) {
            opened.close();
        } else if (mayType(opened)) {
            send(opened, resize(size(screen)));
        }
    }

    private void read(Attached from) {
        TerminalSize known = picture.session();
        for (JsonObject line = from.next(); line != null; line = from.next()) {
            stream.take(line);
            if (from.isDrained()) {
                picture.flush();
                if (!picture.session().equals(known)) {
                    known = picture.session();
                    tellPartSoon();
                }
            }
        }
        picture.flush();
        synchronized (this) {
            connection = null;
        }
        from.close();
    }

    /** Not at once: the agent's terminal may be about to follow this one. */
    private void tellPartSoon() {
        var _ = timer.schedule(this::tellPart, FOLLOWED_MS, TimeUnit.MILLISECONDS);
    }

    private void tellPart() {
        if (!picture.isWhole()) {
            notice("the agent's terminal is " + words(picture.session()) + ", this one " + words(size(screen))
                    + ": a part is shown");
        }
    }

    private static String words(TerminalSize size) {
        return size.cols() + "x" + size.rows();
    }

    /** @return null if the person leaves meanwhile */
    private @Nullable Attached reconnect() {
        for (long pauseMs = PAUSE_MS_MIN; pause(pauseMs); pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
            try {
                return door.apply(stream.from());
            } catch (BrigException refusal) {
                if (!refusal.code().isRetryable()) {
                    throw refusal;
                }
            }
        }
        return null;
    }

    /** @return whether the person is still there */
    private boolean pause(long milliseconds) {
        try {
            return !detached.await(milliseconds, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private boolean isDetached() {
        return detached.getCount() == 0;
    }

    private void detach() {
        Attached closing;
        synchronized (this) {
            detached.countDown();
            closing = connection;
        }
        if (closing != null) {
            closing.close();
        }
    }

    private void sendKeys(InputStream typed) {
        byte[] bytes = new byte[INPUT_BYTES];
        KeyText text = new KeyText();
        try {
            for (int read = typed.read(bytes); read >= 0; read = typed.read(bytes)) {
                if (!take(text.decode(bytes, read))) {
                    break;
                }
            }
        } catch (IOException gone) {
            // As at the end of the input: the person's terminal is gone.
            detach();
            return;
        }
        detach();
    }

    /** @return whether the person stays */
    private boolean take(String keys) {
        synchronized (typing) {
            String passed = detachKeys.take(keys);
            if (stay != null && detachKeys.areTyped()) {
                detachKeys.forget();
                notice(stay);
            }
            boolean leaves = detachKeys.areTyped() || (connection() == null && passed.indexOf(INTERRUPT) >= 0);
            if (!leaves && !passed.isEmpty()) {
                send(passed);
            }
            if (releasing != null) {
                releasing.cancel(false);
            }
            if (detachKeys.isWaiting()) {
                releasing = timer.schedule(this::release, RELEASE_MS, TimeUnit.MILLISECONDS);
            }
            return !leaves;
        }
    }

    /** A key that may begin the detach keys has a use of its own. */
    private void release() {
        synchronized (typing) {
            String waited = detachKeys.release();
            if (!waited.isEmpty()) {
                send(waited);
            }
        }
    }

    private synchronized @Nullable Attached connection() {
        return connection;
    }

    /** Without a connection they are lost, as the person sees: they have no echo. */
    private void send(String keys) {
        Attached to = connection();
        if (to != null && mayType(to)) {
            KeyText.pieces(keys).forEach(piece -> send(to, new CaptainLine.Keys(piece)));
        } else if (to != null) {
            notice("you only watch this session: keys are not sent");
        }
    }

    private static boolean mayType(Attached connection) {
        return connection.welcome().role().equals(CAPTAIN);
    }

    private void send(Attached to, CaptainLine.Order line) {
        try {
            to.send(line);
        } catch (BrigException lost) {
            if (!lost.code().isRetryable()) {
                throw lost;
            }
        }
    }

    private void resize() {
        TerminalSize now = size(screen);
        picture.resizeWindow(now);
        tellPartSoon();
        Attached to = connection();
        if (to != null && mayType(to)) {
            send(to, resize(now));
        }
    }

    /** Shows a line for a while. */
    private void notice(String text) {
        screen.say(text);
        synchronized (this) {
            if (clearing != null) {
                clearing.cancel(false);
            }
            clearing = timer.schedule(picture::redraw, NOTICE_MS, TimeUnit.MILLISECONDS);
        }
    }
}
