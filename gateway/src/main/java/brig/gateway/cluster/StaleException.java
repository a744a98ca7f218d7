package brig.gateway.cluster;

/** Somebody else wrote first: nothing was written. */
public final class StaleException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public StaleException(String what) {
        super(what, null, false, false);
    }
}
