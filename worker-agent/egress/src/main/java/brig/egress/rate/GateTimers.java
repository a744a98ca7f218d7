package brig.egress.rate;

/** The time of gates. Thread-safe. */
public interface GateTimers {
    /** Milliseconds that never go back. */
    long nowMs();

    /** Milliseconds since 1970. */
    long wallMs();

    /** @return cancels it */
    Runnable schedule(Runnable task, long delayMs);
}
