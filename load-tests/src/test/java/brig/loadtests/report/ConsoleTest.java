package brig.loadtests.report;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

class ConsoleTest {
    @Command(name = "bench")
    private static final class Bench implements Callable<Integer> {
        @Mixin
        private Console console = new Console();

        @Override
        public Integer call() {
            return console.isJson() ? 10 : 11;
        }
    }

    private final Bench bench = new Bench();
    private final CommandLine commandLine = new CommandLine(bench);

    @Test
    void shouldKnowWhetherJsonIsWanted() {
        assertEquals(11, commandLine.execute());
        assertEquals(10, commandLine.execute("--json"));
    }

    @Test
    void shouldRefuseNumbersThatAreTooSmallOrTooGreat() {
        assertDoesNotThrow(() -> bench.console.requireUpTo(5, "--runs", 1));
        assertDoesNotThrow(() -> bench.console.requireUpTo(5, "--runs", 5));
        ParameterException refusal =
                assertThrows(ParameterException.class, () -> bench.console.requireUpTo(5, "--runs", 6));
        assertEquals("--runs is 6: from 1 to 5", refusal.getMessage());
        assertThrows(ParameterException.class, () -> bench.console.requireUpTo(5, "--runs", 0));
    }
}
