package brig.gateway.telemetry;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * What is counted when it happens, for all streams and spawns together: a stream that is forgotten leaves its part, so no
 * sum ever falls. They are plain numbers of the event loop, because one thread writes and the same one reads them; the way
 * of a frame costs an addition for each read of a worker's socket and one for each batch that a reader takes.
 *
 * <p>Labels are names of a fixed set or of agent profiles: nothing that a client or an agent may choose makes a series.
 */
public final class Counters {
    private static final double NANOS = 1e9;
    /** What a frame {@code egress} may tell, as PROTOCOL.md has it. */
    private static final Map<String, String> EGRESS = Map.of("blocked", "blocked", "ask", "asked", "allowed", "allowed",
            "tls_failed", "tls_failed");

    private final LongSupplier nanoTime;

    long framesIn;
    long bytesIn;
    final Map<Transport, Audience> audiences = new EnumMap<>(Transport.class);
    /** By reason, the known ones from the beginning: a rate does not see the first of a series. */
    final Map<String, long[]> gaps = new TreeMap<>(Map.of("evicted", new long[1], "record_lost", new long[1]));
    long gapFrames;
    long slowCloses;
    int pausedNow;
    private long pausedNanos;
    private long pausedCountedNanos;

    final Map<String, long[]> ended = new TreeMap<>(Map.of("terminated", new long[1], "failed", new long[1]));
    final Map<String, long[]> egress = new TreeMap<>();
    long egressDropped;
    final Map<Tokens, long[]> tokens = new TreeMap<>();
    final Histogram spawn = new Histogram(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30);
    final Histogram firstChunk = new Histogram(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120);

    final Histogram database = new Histogram(0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5);
    final Histogram record = new Histogram(0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5);
    final Histogram loopLag = new Histogram(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5);

    /**
     * What a number of tokens is of.
     *
     * @param source {@code agent}, or {@code egress} where they were read off its requests; the two repeat each other
     */
    record Tokens(String agent, String source, String kind) implements Comparable<Tokens> {
        @Override
        public int compareTo(Tokens other) {
            return toString().compareTo(other.toString());
        }
    }

    /** @param nanoTime as {@link System#nanoTime} */
    public Counters(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        for (Transport transport : Transport.values()) {
            audiences.put(transport, new Audience());
        }
        EGRESS.values().forEach(kind -> egress.put(kind, new long[1]));
        egress.put("answered_allowed", new long[1]);
        egress.put("answered_denied", new long[1]);
    }

    /** For a duration that begins now: {@link #secondsSince} ends it. */
    public long nanoTime() {
        return nanoTime.getAsLong();
    }

    public double secondsSince(long begunNanos) {
        return (nanoTime.getAsLong() - begunNanos) / NANOS;
    }

    /** Frames came from a worker. */
    public void handleFrames(long frames, long bytes) {
        framesIn += frames;
        bytesIn += bytes;
    }

    /** What readers of that transport are counted by. */
    public Audience audience(Transport transport) {
        return audiences.computeIfAbsent(transport, key -> new Audience());
    }

    /** A subscriber was told that so many frames will not come. */
    public void handleGap(String reason, long frames) {
        gaps.computeIfAbsent(reason, key -> new long[1])[0]++;
        gapFrames += frames;
    }

    /** A connection that took too little is ended. */
    public void handleSlowClose() {
        slowCloses++;
    }

    /** A worker is held back by a reader, or is no more. */
    public void handlePaused(boolean paused) {
        countPaused();
        pausedNow += paused ? 1 : -1;
    }

    private void countPaused() {
        long now = nanoTime.getAsLong();
        pausedNanos += pausedNow * (now - pausedCountedNanos);
        pausedCountedNanos = now;
    }

    /** How long workers were held back, summed over them, those that are so now included. */
    double pausedSeconds() {
        countPaused();
        return pausedNanos / NANOS;
    }

    /** A worker that this process was asked for runs. */
    public void handleRunning(double seconds) {
        spawn.observe(seconds);
    }

    /** The first words of an agent came, so long after its worker was asked for. */
    public void handleFirstChunk(double seconds) {
        firstChunk.observe(seconds);
    }

    /** @param state {@code terminated} or {@code failed} */
    public void handleEnded(String state) {
        ended.computeIfAbsent(state, key -> new long[1])[0]++;
    }

    /** A frame {@code egress} came. */
    public void handleEgress(String kind, boolean allowed, long dropped) {
        String decision = kind.equals("answered") ? (allowed ? "answered_allowed" : "answered_denied") : EGRESS.get(kind);
        if (decision != null) {
            egress.computeIfAbsent(decision, key -> new long[1])[0]++;
        }
        egressDropped += dropped;
    }

    /** An agent used tokens. */
    public void handleTokens(String agent, boolean fromEgress, String kind, long count) {
        if (count > 0) {
            tokens.computeIfAbsent(new Tokens(agent, fromEgress ? "egress" : "agent", kind), key -> new long[1])[0] += count;
        }
    }

    /** The database answered. */
    public void handleStored(double seconds) {
        database.observe(seconds);
    }

    /** A part of a stream is on disk. */
    public void handleRecorded(double seconds) {
        record.observe(seconds);
    }
}
