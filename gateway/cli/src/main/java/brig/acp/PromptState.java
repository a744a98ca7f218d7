package brig.acp;

/** How far a prompt of the editor is. */
enum PromptState {
    /** Its turn has not come. */
    WAITING,
    /** The agent works on it. */
    RUNNING,
    /** It was cancelled while the agent worked on it; the end of its turn is its answer. */
    CANCELLING,
    /** It was cancelled before its turn came: the editor has its answer, the turn is still to be stopped. */
    WITHDRAWN,
    /** The turn of a withdrawn one has come, and is stopped. */
    STOPPING;

    /** What happens to a prompt before its turn is over. */
    enum Event {
        /** Its turn has come. */
        TURN,
        /** The editor cancels it. */
        CANCEL
    }

    /** The state after that. */
    PromptState after(Event event) {
        return switch (event) {
            case TURN -> this == WITHDRAWN ? STOPPING : RUNNING;
            case CANCEL ->
                switch (this) {
                    case WAITING, WITHDRAWN -> WITHDRAWN;
                    case RUNNING, CANCELLING -> CANCELLING;
                    case STOPPING -> STOPPING;
                };
        };
    }

    /** Whether its turn is to stop. */
    boolean stopsTurn() {
        return this == CANCELLING || this == STOPPING;
    }

    /** Whether the editor has its answer. */
    boolean isAnswered() {
        return this == WITHDRAWN || this == STOPPING;
    }
}
