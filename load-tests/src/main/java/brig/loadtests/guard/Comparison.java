package brig.loadtests.guard;

import brig.loadtests.bench.Spread;
import brig.loadtests.suite.Figure;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * A figure of which less is better, of two products in rounds. The products ran one after the other in each round, so
 * what disturbs a machine for longer than a round disturbs both.
 *
 * <p>It is worse if the median of the rounds' ratios is beyond the tolerance, and if so many rounds agree that it is
 * worse at all as chance alone would bring about at most once in 16 times (a sign test: 4 of 4 rounds, 5 of 5, 6 of 7, 8
 * of 10). Fewer than four rounds tell nothing.
 *
 * <p>Decision 0176.
 *
 * @param unit how its values are written
 */
public record Comparison(String scenario, String name, Figure unit, List<Pair> pairs) {
    private static final double CHANCE_MAX = 1.0 / 16;

    /**
     * One round.
     *
     * @param before of the earlier product, above 0
     */
    public record Pair(double before, double now) {
        double ratio() {
            return now / before;
        }
    }

    /** What the rounds tell. {@code UNMEASURED}: too few of them count. */
    public enum Judgement {
        SAME,
        BETTER,
        WORSE,
        UNMEASURED
    }

    /** @param tolerance a share, 0.1 for 10 percent */
    public Judgement judge(double tolerance) {
        if (chance(pairs.size(), pairs.size()) > CHANCE_MAX) {
            return Judgement.UNMEASURED;
        }
        double ratio = spread(Pair::ratio).median();
        if (ratio > 1 + tolerance && isBeyondChance(pair -> pair.ratio() - 1)) {
            return Judgement.WORSE;
        }
        return ratio < 1 / (1 + tolerance) && isBeyondChance(pair -> 1 - pair.ratio())
                ? Judgement.BETTER
                : Judgement.SAME;
    }

    Spread spread(ToDoubleFunction<Pair> value) {
        return Spread.of(pairs.stream().mapToDouble(value).toArray());
    }

    private boolean isBeyondChance(ToDoubleFunction<Pair> difference) {
        long agreeing = pairs.stream()
                .filter(pair -> difference.applyAsDouble(pair) > 0)
                .count();
        return chance(pairs.size(), (int) agreeing) <= CHANCE_MAX;
    }

    /** The chance that a coin shows heads at least so many times. */
    static double chance(int throwsOfCoin, int heads) {
        double sum = 0;
        double ways = 1;
        for (int count = throwsOfCoin; count >= heads; count--) {
            sum += ways;
            ways = ways * count / (throwsOfCoin - count + 1);
        }
        return sum / Math.pow(2, throwsOfCoin);
    }
}
