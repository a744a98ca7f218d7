package brig.gateway.egress;

/** How many connections wait at a host: more after a time when all were taken, and never more than a maximum. */
final class PoolSize {
    static final int WAITING_MIN = 4;
    static final int WAITING_MAX = 64;

    private int wanted = WAITING_MIN;
    private int waiting;

    /** How many are missing. */
    int missing() {
        return Math.max(0, wanted - waiting);
    }

    /** One more waits, or is on its way to. */
    void add() {
        waiting++;
    }

    /** One was closed before it was taken. */
    void lose() {
        waiting--;
    }

    /** One was taken for a connection of a wall. */
    void take() {
        waiting--;
        if (waiting == 0) {
            wanted = Math.min(2 * wanted, WAITING_MAX);
        }
    }
}
