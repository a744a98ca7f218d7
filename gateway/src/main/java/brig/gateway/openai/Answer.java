package brig.gateway.openai;

/** How an answer goes to its client: a form of the API, whole or as events. Owned by the event loop. */
public interface Answer {
    /** Longer answers are told as events only. */
    int CHARACTERS_MAX = 8 * 1024 * 1024;

    /** Whether it takes more without queueing more than its bound. */
    boolean isWritable();

    /** More of what the agent says. */
    void text(String text);

    /** More of what it thinks and does: shown beside its words, no part of them. */
    void thought(String text);

    /** The turn is over. */
    void done(Usage usage);

    /** The turn came to nothing, or to no more than was said. */
    void fail(ApiError why);

    /** The client is gone: nothing is written any more. */
    void close();

    /** Tokens, as the agent counted them; 0 where it does not say. */
    record Usage(long input, long output) {
        public static final Usage UNKNOWN = new Usage(0, 0);
    }
}
