package brig.loadtests.chaos;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.loadtests.client.Event;
import brig.loadtests.client.Transcript;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StormJudgementTest {
    private static final String WRITTEN = "one\ntwo\n";

    /** A stream of one chunk, with its end. */
    private static Transcript read(String text, String reason) {
        Transcript all = Transcript.fresh();
        for (String line : new String[] {
            "{\"type\":\"authenticated\",\"epoch\":\"4h2k9x0c\",\"from\":1}",
            "{\"type\":\"chunk\",\"seq\":1,\"ts\":1,\"stream\":\"stdout\",\"content\":\"" + text + "\"}",
            "{\"type\":\"state\",\"seq\":2,\"ts\":1,\"state\":\"terminated\",\"reason\":\"" + reason + "\"}"
        }) {
            all.accept(Event.of(line.getBytes(StandardCharsets.UTF_8)));
        }
        return all;
    }

    /**
     * Scenario: the disk takes nothing, the session ends, and the gateway is killed before it could record the end. Who
     * comes back later gets what was recorded, and an end that says so; the others have the whole of an older epoch.
     */
    @ParameterizedTest
    @ValueSource(strings = {"record_lost", "worker_lost", "reconcile_timeout"})
    void shouldTakeAPartWhenItsEndSaysThatTheRestIsLost(String reason) {
        assertTrue(Storm.isWhole(read("one\\n", reason), WRITTEN, true));
        assertTrue(Storm.isWhole(read("", reason), WRITTEN, true));
        assertFalse(Storm.isWhole(read("two\\n", reason), WRITTEN, true), "no part from the beginning on");
    }

    @ParameterizedTest
    @ValueSource(strings = {"requested", "completed"})
    void shouldTakeTheWholeAloneWhenTheAgentsEndIsThere(String reason) {
        assertTrue(Storm.isWhole(read("one\\ntwo\\n", reason), WRITTEN, true));
        assertFalse(Storm.isWhole(read("one\\n", reason), WRITTEN, true));
    }

    @Test
    void shouldTakeAPartWhenTheCaptainWasNotDone() {
        assertTrue(Storm.isWhole(read("one\\n", "requested"), WRITTEN, false));
    }
}
