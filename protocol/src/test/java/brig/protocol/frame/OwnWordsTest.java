package brig.protocol.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.frame.Frame.Chunk;
import brig.protocol.frame.Frame.Chunk.Channel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OwnWordsTest {
    @ParameterizedTest
    @CsvSource({
        ",,TEXT,true",
        ",,STDOUT,true",
        ",,STDERR,false",
        ",,THOUGHT,false",
        "a1,,TEXT,false",
        ",call_1,STDOUT,false",
    })
    void shouldTellWhatTheAgentItselfSays(@Nullable String agent, @Nullable String tool, Channel stream, boolean own) {
        assertEquals(own, new Chunk(agent, tool, stream, "x").isOwnWords());
    }
}
