package brig.loadtests.suite;

import brig.protocol.record.Settings;

/**
 * A bound for Brig's median: a share of a peer's median, a share of its own in another scenario, or a value.
 *
 * @param scenario       where Brig is measured
 * @param figure         the figure's key
 * @param peer           the peer to compare with; "" for an absolute bound
 * @param inScenario     where that peer is measured, if not in the same scenario
 * @param atMostPercent  Brig at most so many percent of the peer
 * @param atLeastPercent Brig at least so many percent of the peer
 * @param atMost         Brig at most this, in the figure's unit
 * @param says           the origin of the bound, in words
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

    /** The scenario of the figure to compare with. */
    public String otherScenario() {
        return inScenario.isEmpty() ? scenario : inScenario;
    }

    /** Whether a value is within the bound, given the other figure. */
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
