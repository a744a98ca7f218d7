package brig.workeragent.bubblewrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import brig.workeragent.sandbox.ProcessExit;
import brig.workeragent.wall.ProcessEnd;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SandboxProcessTest {
    private static final ProcessEnd LOST = new ProcessEnd(137, "SIGKILL", false);

    private final CompletableFuture<ProcessExit> exit = new CompletableFuture<>();

    @Test
    void shouldTellTheEndWhenWhatBelongsToTheWallIsGivenBack() {
        CompletableFuture<Void> givenBack = new CompletableFuture<>();
        CompletableFuture<ProcessEnd> end = SandboxProcess.end(exit, () -> givenBack);
        exit.completeExceptionally(new IllegalStateException("the launcher died"));
        assertFalse(end.isDone());
        givenBack.complete(null);
        assertEquals(LOST, end.join());
    }

    @Test
    void shouldTellTheEndWhenSomethingCannotBeGivenBack() {
        CompletableFuture<ProcessEnd> end = SandboxProcess.end(exit, () -> {
            throw new IllegalStateException("not closed");
        });
        exit.completeExceptionally(new IllegalStateException("the launcher died"));
        assertEquals(LOST, end.join());
    }
}
