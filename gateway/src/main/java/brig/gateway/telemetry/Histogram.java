package brig.gateway.telemetry;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;

/** Durations in seconds, counted by how long they were. Owned by the event loop. */
public final class Histogram {
    private final double[] upperBounds;
    private final long[] counts;
    private double sum;

    /** @param finite upper bounds of the buckets in seconds, ascending; one without a bound follows */
    Histogram(double... finite) {
        upperBounds = new double[finite.length + 1];
        System.arraycopy(finite, 0, upperBounds, 0, finite.length);
        upperBounds[finite.length] = Double.POSITIVE_INFINITY;
        counts = new long[upperBounds.length];
    }

    public void observe(double seconds) {
        int bucket = 0;
        while (seconds > upperBounds[bucket]) {
            bucket++;
        }
        counts[bucket]++;
        sum += seconds;
    }

    ClassicHistogramBuckets buckets() {
        return ClassicHistogramBuckets.of(upperBounds, counts.clone());
    }

    double sum() {
        return sum;
    }
}
