package brig.formats.adapter;

import brig.protocol.spawn.TerminalSize;
import java.util.function.Predicate;

/** Follows an agent's terminal beside its frames. Called by one thread at a time, after the frames of what it is told. */
public interface TerminalFollower {
    /** Follows nothing. */
    TerminalFollower NONE = new TerminalFollower() {
        @Override
        public void handleOutput(CharSequence text, long nowMs) {}

        @Override
        public void handleSize(TerminalSize size, long nowMs) {}
    };

    /** Begins to follow a terminal. */
    interface Factory {
        /**
         * Follows a terminal from its start.
         *
         * @param size at its start
         * @param frames takes further frames of the stream
         * @param answers takes input for the agent; false if it has no room
         */
        TerminalFollower follow(TerminalSize size, FrameSink frames, Predicate<byte[]> answers);
    }

    /** The terminal got that text: whole characters. */
    void handleOutput(CharSequence text, long nowMs) throws InterruptedException;

    /** The terminal has that size from here on. */
    void handleSize(TerminalSize size, long nowMs) throws InterruptedException;
}
