package brig.gateway.e2e.provider;

/** What a client asks of a provider; faults and counts are of one kind of request each. */
public enum Operation {
    CREATE,
    FIND,
    LIST,
    DESTROY,
    EXEC,
    DIAL,
    UPLOAD,
    OTHER
}
