package brig.acp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.acp.PromptState.Event;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PromptStateTest {
    @ParameterizedTest
    @CsvSource({
        "WAITING,TURN,RUNNING",
        "WAITING,CANCEL,WITHDRAWN",
        "RUNNING,CANCEL,CANCELLING",
        "CANCELLING,CANCEL,CANCELLING",
        "WITHDRAWN,CANCEL,WITHDRAWN",
        "WITHDRAWN,TURN,STOPPING",
        "STOPPING,CANCEL,STOPPING",
    })
    void shouldFollow(PromptState before, Event event, PromptState after) {
        assertEquals(after, before.after(event));
    }
}
