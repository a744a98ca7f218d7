package brig.gateway.e2e.provider;

/** What becomes of a request in place of its answer. */
public enum Fault {
    /** The connection is closed, and nothing was done. */
    LOST_BEFORE,
    /** All is done, then the connection is closed. */
    LOST_AFTER,
    /** 429 with {@code Retry-After}. */
    RATE_LIMITED,
    /** 503. */
    UNAVAILABLE,
    /** To where clouds have the credentials of their machines. */
    REDIRECTED,
    /** 401. */
    TOKEN_EXPIRED
}
