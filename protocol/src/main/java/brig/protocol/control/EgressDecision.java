package brig.protocol.control;

/** What a person decides about what a worker may reach. What its policy denies stays denied. */
public enum EgressDecision {
    /** Opens a host for as long as the worker lives. */
    ALLOW,
    /** Opens it for one request. */
    ONCE,
    /** Opens it, and writes it into the file of the worker's policy. */
    SAVE,
    /** Answers requests that wait. */
    DENY,
    /** Takes a secret back for good. */
    REVOKE
}
