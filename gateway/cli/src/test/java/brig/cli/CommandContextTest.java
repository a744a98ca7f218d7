package brig.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CommandContextTest {
    private static final String MISSING =
            "there is no route 'a'\n  brig route set a --key-file FILE\n  brig route test a";

    @Test
    void shouldNameTheSettingsInCommandsThatMend() {
        assertEquals(
                "there is no route 'a'\n  brig --config /my.json route set a --key-file FILE\n"
                        + "  brig --config /my.json route test a",
                CommandContext.commands(MISSING, " --config /my.json"));
        assertEquals(MISSING, CommandContext.commands(MISSING, ""));
    }
}
