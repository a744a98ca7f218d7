package brig.cli.tty;

import brig.protocol.StreamPosition;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.frame.Frame;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.TerminalSize;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the lines of a session say about its terminal. The first frame is a whole checkpoint, or the first of the stream. After a
 * gap what is drawn may be wrong until the next checkpoint. Owned by the thread that reads the session.
 */
final class TtyStream {
    private static final Set<String> AGENTS_OWN = Set.of("MODEL_ERROR", "AGENT_ERROR", "LINE_TOO_LONG");
    private static final String EPOCH_CHANGED = "epoch_changed";

    private final Picture picture;
    private final Consumer<String> notices;
    private final StringBuilder checkpoint = new StringBuilder();
    private long lastSeq;
    private boolean begun;
    /** Wants the next checkpoint. */
    private boolean torn;

    private boolean ended;
    private int exitCode;

    /** @param notices are shown to the person for a while */
    TtyStream(Picture picture, Consumer<String> notices) {
        this.picture = picture;
        this.notices = notices;
    }

    /** The frame to go on with, or {@link StreamPosition.SCREEN}. */
    long from() {
        return begun ? lastSeq + 1 : StreamPosition.SCREEN;
    }

    /** Whether the session is over. */
    boolean isEnded() {
        return ended;
    }

    /** That of the agent, once the session is over. */
    int exitCode() {
        return exitCode;
    }

    void take(JsonObject line) {
        if (line.has("seq")) {
            NumberedFrame numbered = line.as(NumberedFrame.class);
            lastSeq = numbered.seq();
            take(numbered.frame());
        } else if (line.has("type")) {
            take(ConnectionLine.read(line));
        }
    }

    private void take(@Nullable Frame frame) {
        switch (frame) {
            case Frame.Tty size -> {
                if (begun) {
                    picture.resizeSession(new TerminalSize(size.cols(), size.rows()));
                } else {
                    begin(new TerminalSize(size.cols(), size.rows()), "");
                }
            }
            case Frame.Screen screen -> take(screen);
            case Frame.Chunk chunk -> {
                if (chunk.stream() == Frame.Chunk.Channel.TTY) {
                    picture.write(chunk.content());
                }
            }
            case Frame.Ask ask ->
                notices.accept("asks: " + ask.title() + " · brig answer " + ask.askId() + " " + ask.choices());
            case Frame.Failure failure -> {
                // What the agent says of itself is on its screen.
                if (!AGENTS_OWN.contains(failure.code())) {
                    notices.accept(failure.error() + " (" + failure.code() + ")");
                }
            }
            case Frame.Done done -> exitCode = done.exitCode();
            case Frame.State state -> ended |= state.isTerminated();
            case Frame.Message _,
                    Frame.Accepted _,
                    Frame.Tool _,
                    Frame.Usage _,
                    Frame.Budget _,
                    Frame.SubAgent _,
                    Frame.Session _,
                    Frame.Egress _,
                    Frame.Plan _,
                    Frame.Permission _,
                    Frame.Answered _,
                    Frame.Activity _,
                    Frame.Checkpoint _,
                    Frame.Forked _,
                    Frame.Raw _ -> {}
            case null -> {}
        }
    }

    /** A reader who has everything needs no checkpoint. */
    private void take(Frame.Screen screen) {
        if (begun && !torn) {
            return;
        }
        checkpoint.append(screen.content());
        if (!screen.more()) {
            begin(new TerminalSize(screen.cols(), screen.rows()), checkpoint.toString());
            checkpoint.setLength(0);
        }
    }

    private void begin(TerminalSize size, String content) {
        begun = true;
        torn = false;
        picture.begin(size, content);
    }

    private void take(@Nullable ConnectionLine line) {
        switch (line) {
            case ConnectionLine.Gap gap -> {
                checkpoint.setLength(0);
                if (EPOCH_CHANGED.equals(gap.reason())) {
                    begun = false;
                    lastSeq = 0;
                } else {
                    torn = true;
                    lastSeq = Math.max(lastSeq, gap.to());
                    notices.accept("a part of the output is missing (" + gap.reason()
                            + "): the screen is whole again with the next checkpoint");
                }
            }
            case ConnectionLine.Refused refusal -> {
                // The last word of a connection that can be resumed is no news for a person.
                if (refusal.from() == 0) {
                    notices.accept(refusal.error() + " (" + refusal.code() + ")");
                }
            }
            case ConnectionLine.State state -> ended |= state.state().equals(Frame.State.TERMINATED);
            case ConnectionLine.Authenticated _,
                    ConnectionLine.Answer _,
                    ConnectionLine.Pong _,
                    ConnectionLine.Session _,
                    ConnectionLine.Presence _ -> {}
            case null -> {}
        }
    }
}
