package brig.gateway.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which sandboxes are to go. */
class ReaperTest {
    private static final String GATEWAY = "0123456789ab";
    private static final String SPAWN = "spn_01kdvk6w3q5h8b2n7r4t9x6m";
    private static final String NAME = "brig-0123456789ab-01kdvk6w3q5h8b2n7r4t9x6m";

    private final Map<String, Reaper.Known> record = new HashMap<>();
    private final Reaper reaper =
            new Reaper(GATEWAY, id -> record.getOrDefault(id, Reaper.Known.UNKNOWN), System::currentTimeMillis);

    private List<String> judge(String... names) {
        return reaper
                .judge(
                        "cloud",
                        List.of(names).stream()
                                .map(name -> new Sandbox(name, name, Sandbox.State.RUNNING, 0, Map.of()))
                                .toList())
                .stream()
                .map(Sandbox::name)
                .toList();
    }

    @Test
    void shouldKeepWhatALiveSessionHas() {
        record.put(SPAWN, Reaper.Known.LIVE);
        assertEquals(List.of(), judge(NAME));
        assertEquals(List.of(), judge(NAME));
    }

    @Test
    void shouldEndWhatAnEndedSessionHadOnceForEachListing() {
        record.put(SPAWN, Reaper.Known.ENDED);
        assertEquals(List.of(NAME), judge(NAME, NAME));
        assertEquals(List.of(NAME), judge(NAME));
    }

    @Test
    void shouldEndWhatNobodyKnowsWhenItWasSeenTwice() {
        assertEquals(List.of(), judge(NAME));
        assertEquals(List.of(NAME), judge(NAME));
    }

    @Test
    void shouldCountAnewWhenItWasAwayMeanwhile() {
        assertEquals(List.of(), judge(NAME));
        assertEquals(List.of(), judge());
        assertEquals(List.of(), judge(NAME));
    }

    @Test
    void shouldNeverTouchWhatIsAnothers() {
        String[] others = {
            "brig-ba9876543210-01kdvk6w3q5h8b2n7r4t9x6m",
            "brig-0123456789ab-",
            "brig-0123456789ab-01KDVK6W3Q5H8B2N7R4T9X6M",
            NAME + "x",
            "x" + NAME,
            "prod"
        };
        assertEquals(List.of(), judge(others));
        assertEquals(List.of(), judge(others));
    }

    @Test
    void shouldLeaveAloneWhatIsEnding() {
        record.put(SPAWN, Reaper.Known.ENDED);
        assertEquals(
                List.of(), reaper.judge("cloud", List.of(new Sandbox(NAME, NAME, Sandbox.State.GONE, 0, Map.of()))));
    }
}
