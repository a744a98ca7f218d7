package brig.client;

import org.jspecify.annotations.Nullable;

/** What the agent itself says, up to the next {@code done}. */
final class Hearing {
    private final StringBuilder words = new StringBuilder();
    private @Nullable Frame trouble;

    /**
     * Whether the message was worked off; otherwise more comes.
     *
     * @throws BrigException with the text so far: MESSAGE_FAILED or the agent's own code, FRAMES_LOST
     */
    boolean hear(Frame frame) {
        switch (frame.type()) {
            case "chunk" -> {
                if (frame.isOwnWord()) {
                    words.append(frame.text("content", ""));
                }
            }
            case "error" -> {
                if (frame.has("seq") && !frame.flag("retrying")) {
                    trouble = frame;
                }
            }
            case "gap" ->
                throw failure(
                        "FRAMES_LOST",
                        "frames " + frame.number("from", 0) + " to " + frame.number("to", 0) + " are gone: "
                                + frame.text("reason", ""));
            case "done" -> {
                String reason = frame.text("reason");
                if (reason != null && trouble != null) {
                    throw failure(trouble.text("code", "INTERNAL"), trouble.text("error", ""));
                }
                if (reason != null) {
                    throw failure("MESSAGE_FAILED", reason);
                }
                return true;
            }
            default -> {
                // The rest is not said by the agent.
            }
        }
        return false;
    }

    String text() {
        return words.toString();
    }

    /** The failure where nothing more comes. */
    BrigException ended() {
        return failure("SESSION_ENDED", "the session ended before the message was worked off");
    }

    private BrigException failure(String code, String message) {
        return new BrigException(code, message).with(text());
    }
}
