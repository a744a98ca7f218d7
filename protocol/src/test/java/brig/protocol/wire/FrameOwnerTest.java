package brig.protocol.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FrameOwnerTest {
    private static FrameOwner read(String line) {
        byte[] bytes = ("##" + line.replace('`', '"') + "\n").getBytes(StandardCharsets.UTF_8);
        return FrameOwner.read(bytes, 2, bytes.length - 2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "CHUNK    | a    | {`type`:`chunk`,`seq`:1,`ts`:1,`agent`:`a`,`stream`:`text`,`content`:`x`}",
                "CHUNK    | a    | {`content`:`x`,`ag\\u0065nt`:`a`,`type`:`chunk`}",
                "CHUNK    |      | {`type`:`chunk`,`seq`:1,`content`:`,\\`agent\\`:\\`a\\`,`}",
                "CHUNK    |      | {`type`:`chunk`,`seq`:1,`agent`:null,`content`:``}",
                "CHUNK    |      | {`type`:`chunk`,`seq`:1,`agent`:{`agent`:`a`},`content`:``}",
                "TOOL     |      | {`type`:`tool`,`seq`:1,`id`:`t`,`input`:{`agent`:`a`}}",
                "TOOL     | a    | {`type`:`tool`,`seq`:1,`id`:`t`,`input`:{`agent`:`b`},`agent`:`a`}",
                "SUBAGENT | a    | {`type`:`subagent`,`agent_id`:`a`,`parent_id`:`b`,`agent`:`c`}",
                "SESSION  |      | {`type`:`session`,`session_id`:`s`,`agent`:`claude`}",
                "UNKNOWN  |      | {`type`:`chunk`",
                "UNKNOWN  |      | [1]"
            })
    void shouldSayWhoseALineIs(FrameType type, String agent, String line) {
        assertEquals(new FrameOwner(type, agent), read(line));
    }

    @Test
    void shouldBeForTheAgentThatItIsOfAndForAllWhenItIsOfTheWhole() {
        FrameOwner own = read("{`type`:`chunk`,`agent`:`a`}");
        assertTrue(own.isFor("a") && !own.isFor("b") && !own.isFor(FrameOwner.MAIN));
        FrameOwner main = read("{`type`:`chunk`}");
        assertTrue(main.isFor(FrameOwner.MAIN) && !main.isFor("a"));
        for (String type : new String[] {"done", "error", "state"}) {
            assertTrue(read("{`type`:`" + type + "`}").isFor("a"), type);
        }
        assertFalse(read("{`type`:`error`,`agent`:`b`}").isFor("a"));
    }
}
