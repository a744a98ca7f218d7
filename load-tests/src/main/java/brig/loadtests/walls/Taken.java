package brig.loadtests.walls;

import java.util.List;
import java.util.stream.Stream;

/** What a wall needed for a measure. */
sealed interface Taken {
    /** @param sorted the values of all runs */
    record Values(List<Double> sorted) implements Taken {
        static final Values NONE = new Values(List.of());

        public Values {
            sorted = sorted.stream().sorted().toList();
        }

        Values with(double more) {
            return new Values(Stream.concat(sorted.stream(), Stream.of(more)).toList());
        }

        /** Of at least one value: the smallest that at least {@code percent} percent of them do not exceed. */
        double percentile(int percent) {
            return sorted.get(Math.max(0, (sorted.size() * percent + 99) / 100 - 1));
        }
    }

    /** A run was ended after that time. */
    record Longer(int seconds) implements Taken {}

    /** A run did not work. */
    record Failed(String why) implements Taken {}
}
