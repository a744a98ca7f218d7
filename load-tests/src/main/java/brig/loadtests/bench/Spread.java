package brig.loadtests.bench;

import java.util.Arrays;

/** The median and range of a figure over runs. */
public record Spread(double median, double min, double max) {
    /** @param values at least one */
    public static Spread of(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }
}
