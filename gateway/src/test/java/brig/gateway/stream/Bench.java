package brig.gateway.stream;

import brig.gateway.telemetry.Counters;
import brig.gateway.time.HandTimers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A log on a hand-driven loop, with an archive in memory and a source that counts its pauses. */
final class Bench implements StreamLog.Source {
    static final int WINDOW = 128 * 1024;
    static final String EPOCH = "4h2k9x0c";

    final Loop loop = new Loop();
    final Loop disk = new Loop();
    final LoopFlush turn = new LoopFlush(loop);
    final RetainedBudget budget;
    final Counters counters = new Counters(System::nanoTime);
    final MemoryArchive archive = new MemoryArchive(disk, loop);
    final StreamLog log;
    final List<Long> acked = new ArrayList<>();
    long nowMs = 1_000_000;
    final HandTimers timers = new HandTimers();
    boolean holdsTicks;
    final List<Runnable> heldTicks = new ArrayList<>();
    boolean paused;
    int pauses;
    int finished;

    Bench() {
        this(Long.MAX_VALUE, 100);
    }

    Bench(long budgetBytes, int subscriptionsMax) {
        this(budgetBytes, subscriptionsMax, 0);
    }

    Bench(long budgetBytes, int subscriptionsMax, long lastSeq) {
        budget = new RetainedBudget(budgetBytes);
        log = new StreamLog(EPOCH, lastSeq, archive, environment(subscriptionsMax));
        log.connect(this);
    }

    /** The recording clock ticks as soon as the loop has nothing else to do, or when {@link #heldTicks} are run. */
    StreamLog.Services environment(int subscriptionsMax) {
        RecordingClock ticks = new RecordingClock((delayMs, tick) -> {
            if (holdsTicks) {
                heldTicks.add(tick);
            } else {
                loop.execute(tick);
            }
            return () -> {};
        });
        return new StreamLog.Services(turn, budget, ticks, timers, counters, WINDOW, subscriptionsMax);
    }

    @Override
    public void pause() {
        assert !paused : "paused twice";
        paused = true;
        pauses++;
    }

    @Override
    public void resume() {
        assert paused : "resumed twice";
        paused = false;
    }

    /** Attaches the recorder, as every spawn has one. */
    Bench record() {
        new StreamRecorder(log, () -> nowMs, acked::add, () -> finished++).start();
        return this;
    }

    void append(long seq, String frame) {
        // The bytes lie in the middle of a buffer that the socket uses again.
        byte[] bytes = Frames.utf8("##" + frame + "##");
        log.append(seq, bytes, 2, bytes.length - 4);
        Arrays.fill(bytes, (byte) '!');
    }

    void append(long first, long last) {
        for (long seq = first; seq <= last; seq++) {
            append(seq, Frames.frame(seq));
        }
    }

    /** Appends frames of one size until there are {@code bytes} more, and returns the number of the newest. */
    long fill(int bytes, int frameBytes) {
        long seq = log.lastSeq();
        for (int filled = 0; filled < bytes; filled += frameBytes) {
            seq++;
            append(seq, Frames.frame(seq, frameBytes));
        }
        return seq;
    }

    /** The same, a turn of the loop and of the disk after each 8 KiB, as a socket's reads come. */
    long stream(int bytes) {
        for (int filled = 0; filled < bytes; filled += 8 * 1024) {
            fill(8 * 1024, 1024);
            settle();
        }
        return log.lastSeq();
    }

    Subscription read(long from, boolean tethered, RecordingSink sink) {
        Subscription reader = log.subscribe(from, tethered, null, 0, sink);
        reader.drain();
        return reader;
    }

    RecordingSink reader(long from, boolean tethered) {
        RecordingSink sink = new RecordingSink();
        read(from, tethered, sink);
        return sink;
    }

    /** Runs the loop and the disk until both are idle. */
    void settle() {
        Loop.runAll(loop, disk);
    }

    void end() {
        log.end();
        settle();
    }
}
