package brig.gateway.app;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class LoopAnswersTest {
    @Test
    void shouldHandAnswersOnWhileTheLoopRuns() {
        List<String> seen = new ArrayList<>();
        new LoopAnswers(Runnable::run).execute(() -> seen.add("answer"));
        assertEquals(List.of("answer"), seen);
    }

    @Test
    void shouldDropAnswersWhenTheLoopHasEnded() {
        LoopAnswers ended = new LoopAnswers(task -> {
            throw new RejectedExecutionException("event executor terminated");
        });
        assertDoesNotThrow(() -> ended.execute(() -> {}));
    }
}
