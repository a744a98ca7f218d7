package brig.workeragent.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StopLadderTest {
    private final FakeTimers timers = new FakeTimers();
    private final List<String> steps = new ArrayList<>();
    private boolean inBand;
    private boolean stdin;
    private final StopLadder ladder = new StopLadder(
            "spn_test",
            new StopLadder.Steps() {
                @Override
                public boolean cancelInBand() {
                    return inBand && steps.add(timers.nowMs() + " in-band");
                }

                @Override
                public boolean closeStdin() {
                    return stdin && steps.add(timers.nowMs() + " close stdin");
                }

                @Override
                public void terminate() {
                    steps.add(timers.nowMs() + " terminate");
                }

                @Override
                public void kill() {
                    steps.add(timers.nowMs() + " kill");
                }
            },
            new StopTimes(0, 0, 300, 2000),
            timers);

    @Test
    void shouldTakeEveryRungInTimeWhenProcessIgnoresThem() {
        inBand = true;
        stdin = true;
        ladder.begin();
        timers.advance(100_000);
        assertEquals(List.of("1000 in-band", "3000 close stdin", "3300 terminate", "5300 kill"), steps);
    }

    @Test
    void shouldLeaveRungsOutWhenProcessHasNone() {
        ladder.begin();
        timers.advance(100_000);
        assertEquals(List.of("1000 terminate", "3000 kill"), steps);
    }

    @Test
    void shouldNotStartAgainWhenAskedTwice() {
        stdin = true;
        ladder.begin();
        timers.advance(200);
        ladder.begin();
        timers.advance(100);
        assertEquals(List.of("1000 close stdin", "1300 terminate"), steps);
    }

    @Test
    void shouldStopClimbingWhenProcessEnds() {
        stdin = true;
        ladder.begin();
        ladder.handleEnd();
        timers.advance(100_000);
        assertEquals(List.of("1000 close stdin"), steps);
        assertEquals(0, timers.waiting());
    }
}
