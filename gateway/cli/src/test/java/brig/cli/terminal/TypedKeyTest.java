package brig.cli.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.cli.terminal.TypedKey.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

class TypedKeyTest {
    private static List<Kind> kinds(String typed) {
        return TypedKey.read(typed).stream().map(TypedKey::kind).toList();
    }

    @Test
    void shouldTellKeysApart() {
        assertEquals(
                List.of(Kind.UP, Kind.DOWN, Kind.PAGE_UP, Kind.PAGE_DOWN, Kind.HOME, Kind.END),
                kinds("\u001b[A\u001bOB\u001b[5~\u001b[6~\u001b[H\u001b[4~"));
        assertEquals(
                List.of(Kind.ENTER, Kind.ERASE, Kind.LEAVE, Kind.LEAVE, Kind.OTHER, Kind.ESCAPE),
                kinds("\r\u007f\u0003\u0004\u0001\u001b"));
        assertEquals(
                List.of(new TypedKey(Kind.CHARACTER, 'q'), new TypedKey(Kind.CHARACTER, 0x1f600)),
                TypedKey.read("q\ud83d\ude00"));
    }

    @Test
    void shouldNotTakePartsOfASequenceForKeys() {
        assertEquals(List.of(Kind.OTHER, Kind.OTHER, Kind.CHARACTER), kinds("\u001b[1;5A\u001b[<0;12;3Mq"));
        assertEquals(List.of(Kind.OTHER), kinds("\u001b["));
        assertEquals(List.of(Kind.OTHER), kinds("\u001b[12;"));
    }
}
