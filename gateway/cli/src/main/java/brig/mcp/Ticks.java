package brig.mcp;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

/** Seconds that pass. */
interface Ticks {
    /** Calls once a second with the number of seconds since now, until it is closed. */
    Ticking start(IntConsumer tick);

    /** Waits before another attempt. */
    void pause();

    /** Ends the calls. */
    interface Ticking extends AutoCloseable {
        @Override
        void close();
    }

    /** The clock. */
    static Ticks real() {
        return new Ticks() {
            private static final Duration AGAIN = Duration.ofMillis(250);

            @Override
            public Ticking start(IntConsumer tick) {
                long begin = System.nanoTime();
                Thread thread = Thread.ofVirtual().name("mcp-ticks").start(() -> {
                    for (int second = 1; !Thread.currentThread().isInterrupted(); ) {
                        long left = begin + Duration.ofSeconds(second).toNanos() - System.nanoTime();
                        if (left > 0) {
                            LockSupport.parkNanos(left);
                        } else {
                            tick.accept(second++);
                        }
                    }
                });
                return thread::interrupt;
            }

            @Override
            public void pause() {
                LockSupport.parkNanos(AGAIN.toNanos());
            }
        };
    }
}
