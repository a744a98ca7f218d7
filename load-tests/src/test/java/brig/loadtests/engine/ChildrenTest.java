package brig.loadtests.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ChildrenTest {
    private final Children children = new Children();

    private Process shell(String script) throws IOException {
        Process process = children.begin(new ProcessBuilder("/bin/sh", "-c", script));
        assertEquals('u', process.getInputStream().read(), "it is up");
        return process;
    }

    @Test
    void shouldEndAllWithTheRunAndByForceWhatDoesNotObey() throws Exception {
        Process obeys = shell("echo u; read never");
        Process stubborn = shell("trap '' TERM; echo u; read never");
        children.endAll(100);
        for (Process process : List.of(obeys, stubborn)) {
            process.waitFor();
            assertFalse(process.isAlive());
        }
    }

    /** Scenario: a server ended because the run is being ended, and whoever measured it goes on to the next one. */
    @Test
    void shouldStartNothingWhenTheRunIsBeingEnded() throws IOException {
        shell("echo u; read never");
        children.endAll(100);
        assertThrows(IOException.class, () -> children.begin(new ProcessBuilder("/bin/true")));
    }
}
