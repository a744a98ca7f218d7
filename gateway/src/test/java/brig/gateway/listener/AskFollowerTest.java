package brig.gateway.listener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.stream.FrameBatch;
import brig.gateway.stream.FrameSink;
import brig.gateway.stream.GapReason;
import brig.protocol.ErrorCode;
import brig.protocol.api.AskChange;
import brig.protocol.api.AskList;
import brig.protocol.frame.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What one connection is told, as fast as it takes it. */
class AskFollowerTest {
    /** A connection that is as writable as a test wants it. */
    private static final class Connection implements FrameSink {
        final List<String> told = new ArrayList<>();
        int room = Integer.MAX_VALUE;
        int flushes;

        void take(AskChange change) {
            room--;
            told.add(
                    switch (change) {
                        case AskChange.Asks all -> "asks " + all.asks().size();
                        case AskChange.Ask ask -> "ask " + ask.ask().ask().askId();
                        case AskChange.Answered answered ->
                            "answered " + answered.answered().askId();
                    });
        }

        @Override
        public boolean isWritable() {
            return room > 0;
        }

        @Override
        public void notice(ErrorCode code, String message) {
            told.add(code.name());
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

    private final Connection connection = new Connection();
    private final List<AskList.View> open = new ArrayList<>();
    private int released;
    private final AskFollower follower =
            new AskFollower(() -> new AskList(List.copyOf(open)), connection, connection::take);

    private static AskList.View ask(int number) {
        Frame.Ask ask = new Frame.Ask(
                "a" + number, Frame.Ask.Kind.TOOL, null, null, null, "Bash", null, List.of(), false, 1, "deny");
        return new AskList.View("spn_1", "fix", null, "mock", null, ask);
    }

    private static AskChange asked(int number) {
        return new AskChange.Ask(ask(number));
    }

    private static AskChange answered(int number) {
        return new AskChange.Answered(
                "spn_1", new Frame.Answered("a" + number, "deny", null, null, null, Frame.Answered.Reason.DEADLINE));
    }

    private void begin() {
        follower.begin(() -> released++);
    }

    @Test
    void shouldTellTheOpenAsksAndThenEachChangeAtOnce() {
        open.add(ask(1));
        begin();
        follower.handle(asked(2));
        follower.handle(answered(1));
        assertEquals(List.of("asks 1", "ask a2", "answered a1"), connection.told);
        assertEquals(3, connection.flushes);
    }

    @Test
    void shouldBeginWithAnEmptyListWhenNothingWaits() {
        begin();
        assertEquals(List.of("asks 0"), connection.told);
    }

    @Test
    void shouldCutALongListIntoLinesOfBoundedSize() {
        IntStream.range(0, AskFollower.ASKS_MAX + 2).forEach(i -> open.add(ask(i)));
        begin();
        assertEquals(List.of("asks 64", "ask a64", "ask a65"), connection.told);
    }

    @Test
    void shouldKeepTheOrderWhileTheConnectionIsFull() {
        connection.room = 1;
        begin();
        follower.handle(asked(1));
        follower.handle(answered(1));
        assertEquals(List.of("asks 0"), connection.told);
        connection.room = 10;
        follower.drain();
        assertEquals(List.of("asks 0", "ask a1", "answered a1"), connection.told);
    }

    @Test
    void shouldBeginAgainInsteadOfKeepingMoreForASlowConnection() {
        connection.room = 1;
        begin();
        for (int i = 0; i <= AskFollower.CHANGES_MAX + 1; i++) {
            follower.handle(asked(i));
        }
        open.add(ask(7));
        connection.room = 10_000;
        follower.drain();
        assertTrue(connection.told.size() <= AskFollower.CHANGES_MAX + 2, () -> "" + connection.told.size());
        assertEquals("asks 0", connection.told.get(1), "the list stands before what came after it");
    }

    @Test
    void shouldSayWhyItLeavesAndTellNoMore() {
        begin();
        follower.handle(asked(1));
        follower.leave(ErrorCode.SLOW_READER);
        follower.handle(asked(2));
        follower.close();
        assertEquals(List.of("asks 0", "ask a1", "SLOW_READER"), connection.told);
        assertEquals(1, released);
    }
}
