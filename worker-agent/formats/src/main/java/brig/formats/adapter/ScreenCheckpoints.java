package brig.formats.adapter;

import brig.formats.terminal.TerminalModel;
import brig.protocol.spawn.TerminalSize;
import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a model of an agent's terminal beside its frames: answers what the agent asks, also when nobody is attached, and
 * writes a checkpoint into the stream for who comes late.
 *
 * <p>A checkpoint follows each megabyte of output, and each change of size at once: some terminals break lines anew then, and
 * have to be drawn again. Sizes that come faster than their checkpoints may be written have one after some output. A checkpoint stands
 * where the output ends neither within a sequence nor within a character. One that would be large comes after twice its size of
 * output, and one of more than 4 million characters not at all: who comes late then begins at an earlier one.
 *
 * <p>Decisions 0185, 0192.
 */
public final class ScreenCheckpoints implements TerminalFollower {
    static final int EVERY_BYTES = 1 << 20;
    static final int AFTER_SIZE_BYTES = 1 << 16;
    private static final int DRAWING_CHARS_MAX = 1 << 22;
    /** What the checkpoints after changes of size may have: so much at once, and then in each millisecond. */
    private static final long ALLOWANCE_CHARS = DRAWING_CHARS_MAX;

    private static final long ALLOWANCE_CHARS_PER_MS = 256;
    /** Of one piece of output. An agent that asks more often is not answered more often. */
    private static final int ANSWERS_CHARS_MAX = 1 << 14;

    private static final Logger LOG = LoggerFactory.getLogger(ScreenCheckpoints.class);

    private final AgentFrames frames;
    private final Predicate<byte[]> input;
    private final StringBuilder answers = new StringBuilder();
    private final TerminalModel model;
    /** Output since the last checkpoint, and after how much the next one is due. */
    private long bytes;

    private long dueBytes = EVERY_BYTES;

    private long allowanceChars = ALLOWANCE_CHARS;
    private long allowedMs;

    /** As a {@link TerminalFollower.Factory}. */
    public ScreenCheckpoints(TerminalSize size, FrameSink frames, Predicate<byte[]> input) {
        this.frames = new AgentFrames(frames);
        this.input = input;
        this.model = new TerminalModel(size.cols(), size.rows(), this::answer);
    }

    private void answer(String answer) {
        if (answers.length() + answer.length() <= ANSWERS_CHARS_MAX) {
            answers.append(answer);
        }
    }

    @Override
    public void handleOutput(CharSequence text, long nowMs) throws InterruptedException {
        model.write(text);
        if (!answers.isEmpty()) {
            // One that finds no room is lost: the agent does not read what it asked for.
            boolean taken = input.test(answers.toString().getBytes(StandardCharsets.UTF_8));
            LOG.debug("answered the agent: {}", taken);
            answers.setLength(0);
        }
        bytes += utf8Length(text);
        if (bytes >= dueBytes && model.isGround()) {
            checkpoint(nowMs);
        }
    }

    private static long utf8Length(CharSequence text) {
        long length = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            length += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
        }
        return length;
    }

    private void checkpoint(long nowMs) throws InterruptedException {
        String drawing = model.draw(DRAWING_CHARS_MAX);
        bytes = 0;
        dueBytes = EVERY_BYTES;
        allowanceChars -= drawing == null ? DRAWING_CHARS_MAX : drawing.length();
        if (drawing != null) {
            dueBytes = Math.max(EVERY_BYTES, 2L * drawing.length());
            frames.at(nowMs);
            frames.screen(model.columns(), model.rows(), drawing);
        }
    }

    @Override
    public void handleSize(TerminalSize size, long nowMs) throws InterruptedException {
        model.resize(size.cols(), size.rows());
        allowanceChars =
                Math.min(ALLOWANCE_CHARS, allowanceChars + Math.max(0, nowMs - allowedMs) * ALLOWANCE_CHARS_PER_MS);
        allowedMs = nowMs;
        if (allowanceChars < 0) {
            dueBytes = Math.min(dueBytes, bytes + AFTER_SIZE_BYTES);
        } else if (model.isGround()) {
            checkpoint(nowMs);
        } else {
            dueBytes = bytes;
        }
    }
}
