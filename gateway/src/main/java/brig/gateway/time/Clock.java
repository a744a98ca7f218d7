package brig.gateway.time;

/** The wall clock. */
@FunctionalInterface
public interface Clock {
    /** Milliseconds since 1970. */
    long nowMs();
}
