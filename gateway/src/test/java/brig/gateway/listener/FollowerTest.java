package brig.gateway.listener;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.gateway.session.Followed;
import brig.gateway.stream.FrameBatch;
import brig.gateway.stream.FrameSink;
import brig.gateway.stream.GapReason;
import brig.protocol.ErrorCode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What one connection is told, as fast as it takes it. */
class FollowerTest {
    /** A connection that is as writable as a test wants it. */
    private static final class Connection implements FrameSink {
        final List<String> told = new ArrayList<>();
        int room = Integer.MAX_VALUE;
        int flushes;

        void take(String line) {
            room--;
            told.add(line);
        }

        @Override
        public boolean isWritable() {
            return room > 0;
        }

        @Override
        public void notice(ErrorCode code, String message) {
            told.add(code.name() + ": " + message);
        }

        @Override
        public void flush() {
            flushes++;
        }

        @Override
        public void write(FrameBatch batch) {
            throw new AssertionError("no frames here");
        }

        @Override
        public void gap(long from, long to, GapReason reason) {
            throw new AssertionError("no positions here");
        }

        @Override
        public void throttled(boolean throttled) {
            throw new AssertionError("no worker here");
        }

        @Override
        public void end() {
            throw new AssertionError("it has no end");
        }
    }

    /** What a test lets happen. */
    private static final class Happenings implements Followed<String> {
        final ArrayDeque<String> waiting = new ArrayDeque<>(List.of("all", "more"));
        Runnable ready = () -> {};
        int ended;

        @Override
        public Runnable begin(Runnable whenReady) {
            ready = whenReady;
            return () -> ended++;
        }

        void happen(String what) {
            waiting.add(what);
            ready.run();
        }

        @Override
        public @Nullable String next() {
            return waiting.poll();
        }

        @Override
        public String first() {
            return "all things";
        }
    }

    private final Connection connection = new Connection();
    private final Happenings happenings = new Happenings();
    private final Follower<String> follower = new Follower<>(happenings, connection, connection::take);
    private int released;

    private void begin() {
        follower.begin(() -> released++);
    }

    @Test
    void shouldTellAllAtOnceAndThenEachChange() {
        begin();
        assertEquals(1, connection.flushes);
        happenings.happen("a");
        assertEquals(List.of("all", "more", "a"), connection.told);
        assertEquals(2, connection.flushes);
    }

    @Test
    void shouldTakeNoMoreThanTheConnectionHasRoomFor() {
        connection.room = 1;
        begin();
        happenings.happen("a");
        assertEquals(List.of("all"), connection.told);
        connection.room = 10;
        follower.drain();
        assertEquals(List.of("all", "more", "a"), connection.told);
    }

    @Test
    void shouldSayWhyItLeavesAndTellNoMore() {
        begin();
        follower.leave(ErrorCode.SLOW_READER);
        happenings.happen("a");
        follower.drain();
        follower.close();
        assertEquals(
                List.of(
                        "all",
                        "more",
                        "SLOW_READER: this connection took too little for too long; connect again: all things come first"),
                connection.told);
        assertEquals(1, released);
        assertEquals(1, happenings.ended);
    }
}
