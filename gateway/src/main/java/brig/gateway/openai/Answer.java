package brig.gateway.openai;

/** An answer to a client in one form of the API, buffered or as events. Owned by the event loop. */
public interface Answer {
    /** Longer answers must be requested as events. */
    int CHARACTERS_MAX = 8 * 1024 * 1024;

    /** Whether it takes more within its queue limit. */
    boolean isWritable();

    /** Adds to the agent's answer. */
    void text(String text);

    /** Adds to its reasoning and actions, which are shown beside the answer. */
    void thought(String text);

    /** Tells whoever reads along what the turn waits for. Clients may hide what is beside the answer, so it is in it. */
    default void waits(String what) {
        text(what);
    }

    /** The client's tool is called; {@link #done} follows. */
    void call(AskCall call);

    /** The answer is over. */
    void done(Usage usage);

    /** The turn failed, perhaps after a part of the answer. */
    void fail(ApiError why);

    /** The client is gone: nothing more is written. */
    void close();

    /** Tokens as the agent counted them; 0 if unknown. */
    record Usage(long input, long output) {
        public static final Usage UNKNOWN = new Usage(0, 0);
    }
}
