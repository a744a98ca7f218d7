package brig.loadtests.suite;

import brig.protocol.record.Settings;

/**
 * What Brig's median has to keep: a part of a peer's median, a part of its own in another scenario, or a value.
 *
 * @param scenario       where Brig is measured
 * @param figure         the figure's key
 * @param peer           whose figure it is held against; "" for an absolute bound
 * @param inScenario     where that peer is measured, if not in the same scenario
 * @param atMostPercent  Brig at most so many percent of the peer
 * @param atLeastPercent Brig at least so many percent of the peer
 * @param atMost         Brig at most this, in the figure's unit
 * @param says           where the bound comes from, in words
 */
@Settings
public record Bound(
        String scenario,
        String figure,
        String peer,
        String inScenario,
        int atMostPercent,
        int atLeastPercent,
        long atMost,
        String says) {

    public Bound {
        int kinds = Integer.signum(atMostPercent) + Integer.signum(atLeastPercent) + Long.signum(atMost);
        if (kinds != 1 || peer.isEmpty() != atMost > 0) {
            throw new IllegalArgumentException("scenario '" + scenario + "': a bound needs a peer and one of "
                    + "atMostPercent and atLeastPercent, or atMost alone");
        }
        Figure.of(figure);
    }

    /** The scenario of the figure that Brig's is held against. */
    public String otherScenario() {
        return inScenario.isEmpty() ? scenario : inScenario;
    }

    /** Whether so large a part of the other figure, or so large a value, is allowed. */
    public boolean allows(double value, double other) {
        if (atMost > 0) {
            return value <= atMost;
        }
        double percent = 100 * value / other;
        return atMostPercent > 0 ? percent <= atMostPercent : percent >= atLeastPercent;
    }

    /** The bound in a line. */
    public String text() {
        if (atMost > 0) {
            return Figure.of(figure).label() + " at most " + Figure.of(figure).format((double) atMost);
        }
        String where = inScenario.isEmpty() ? peer : peer + " in " + inScenario;
        return Figure.of(figure).label()
                + (atMostPercent > 0 ? " at most " + atMostPercent : " at least " + atLeastPercent) + " % of " + where;
    }
}
