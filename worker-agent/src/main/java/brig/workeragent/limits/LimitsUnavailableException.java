package brig.workeragent.limits;

/** A requested limit cannot be enforced. The worker is not started, as there is no weaker fallback. */
public final class LimitsUnavailableException extends Exception {

    private static final long serialVersionUID = 1L;

    LimitsUnavailableException(String message) {
        super(message, null, false, false);
    }
}
