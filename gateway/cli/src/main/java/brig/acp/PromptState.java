package brig.acp;

/** The state of an editor's prompt. */
enum PromptState {
    /** Its turn has not begun. */
    WAITING,
    /** Its turn is running. */
    RUNNING,
    /** Cancelled during its turn, whose end answers it. */
    CANCELLING,
    /** Cancelled before its turn: already answered, but the turn is still to be stopped. */
    WITHDRAWN,
    /** The turn of a withdrawn prompt has begun and is being stopped. */
    STOPPING;

    /** An event before the end of its turn. */
    enum Event {
        /** Its turn begins. */
        TURN,
        /** The editor cancels it. */
        CANCEL
    }

    /** The next state. */
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

    /** Whether its turn is to be stopped. */
    boolean stopsTurn() {
        return this == CANCELLING || this == STOPPING;
    }

    /** Whether the editor has its answer. */
    boolean isAnswered() {
        return this == WITHDRAWN || this == STOPPING;
    }
}
