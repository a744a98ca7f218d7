package brig.protocol.control;

/** A person's decision on what a worker may reach. It cannot allow what the policy denies. */
public enum EgressDecision {
    /** Allows a host for the lifetime of the worker. */
    ALLOW,
    /** Allows it for one request. */
    ONCE,
    /** Allows it, and adds it to the file of the worker's policy. */
    SAVE,
    /** Refuses the waiting requests. */
    DENY,
    /** Revokes a secret permanently. */
    REVOKE
}
