package brig.loadtests.whole;

/**
 * What agents write and readers read.
 *
 * @param streams agents at once
 * @param rate lines a second of each
 * @param readers of each stream
 * @param seconds measured, after those of warming up
 */
public record Load(int streams, int rate, int readers, int warmUpSeconds, int seconds) {
    /** The lines that all readers together would read if no agent was ever late. */
    double linesExpected() {
        return (double) streams * rate * readers * seconds;
    }

    @Override
    public String toString() {
        return streams + " x " + rate + " lines/s, " + readers + " readers each";
    }
}
