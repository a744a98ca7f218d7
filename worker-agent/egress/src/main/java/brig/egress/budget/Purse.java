package brig.egress.budget;

/** One purse. State guarded by {@link Purses}. */
final class Purse {
    /** Percentages that are told when they are reached. */
    private static final int[] STEPS = {100, 80, 50};

    final String name;
    private Limit limit = Limit.NONE;
    private Amount used;
    private Amount reserved = Amount.NONE;
    private long changedAt;
    private int told;
    /** How many workers use it now. */
    private int users;

    Purse(String name, Amount used, long changedAt) {
        this.name = name;
        this.used = used;
        this.changedAt = changedAt;
    }

    boolean hasRoom(Amount more) {
        return limit.allows(used.plus(reserved).plus(more));
    }

    void limit(Limit now) {
        if (!now.equals(limit)) {
            limit = now;
            // What was told of the smaller one is told again of this one.
            told = step();
        }
    }

    void reserve(Amount amount, long now) {
        reserved = reserved.plus(amount);
        changedAt = now;
    }

    void settle(Amount held, Amount real, long now) {
        reserved = reserved.minus(held);
        use(real, now);
    }

    void use(Amount amount, long now) {
        used = used.plus(amount);
        changedAt = now;
    }

    void addUser(int count) {
        users += count;
    }

    /** Whether nobody uses it, and nothing is reserved in it. */
    boolean isIdle() {
        return users == 0 && reserved.equals(Amount.NONE);
    }

    long changedAt() {
        return changedAt;
    }

    private int step() {
        int percent = limit.percent(used);
        for (int step : STEPS) {
            if (percent >= step) {
                return step;
            }
        }
        return 0;
    }

    /** Whether a step is reached that was not told before; then it is told. */
    boolean crosses() {
        int step = step();
        boolean crosses = step > told;
        told = Math.max(told, step);
        return crosses;
    }

    PurseView view() {
        return new PurseView(name, used, reserved, limit, limit.percent(used));
    }

    LedgerLine.Spent line() {
        return new LedgerLine.Spent(name, used, changedAt);
    }
}
