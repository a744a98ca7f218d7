package brig.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class ManCommandTest {
    @Test
    void shouldHaveEachCommandOnceWhateverItsNames() {
        List<String> sections = ManCommand.page(Commands.of(new Main(), new String[] {"man"}))
                .lines()
                .filter(line -> line.startsWith(".SH"))
                .toList();
        assertEquals(sections.stream().distinct().toList(), sections);
        assertTrue(sections.contains(".SH \"BRIG SESSIONS\"") && sections.contains(".SH \"BRIG ROUTE SET\""));
    }
}
