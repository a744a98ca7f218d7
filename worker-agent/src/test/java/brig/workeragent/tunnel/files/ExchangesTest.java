package brig.workeragent.tunnel.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExchangesTest {
    private long nanos = -5;
    private final List<byte[]> sent = new ArrayList<>();
    private final Exchanges exchanges = new Exchanges(sent::add, () -> nanos);

    @Test
    void shouldTellHowLongTheFarSideIsSilent() {
        nanos += 1000;
        assertEquals(0, exchanges.silentNanos(), "nothing was asked");
        ask();
        nanos += 10;
        ask();
        nanos += 10;
        assertEquals(20, exchanges.silentNanos());
        assertEquals(20, exchanges.oldestNanos());
        answer(2);
        nanos += 3;
        assertEquals(3, exchanges.silentNanos(), "it answers, although not the first");
        assertEquals(23, exchanges.oldestNanos());
        answer(1);
        assertEquals(0, exchanges.silentNanos());
        assertEquals(0, exchanges.oldestNanos());
    }

    @Test
    void shouldCountWhatWaits() {
        ask();
        ask();
        assertEquals(2, exchanges.count());
        assertEquals(20, exchanges.cost());
        answer(1);
        assertEquals(1, exchanges.count());
        assertEquals(10, exchanges.cost());
        assertThrows(SftpFault.class, () -> answer(1), "answered twice");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE, Sftp.PACKET_BYTES_MAX + 1, Integer.MAX_VALUE})
    void shouldTakeNoMemoryForALengthThatCannotBe(int length) {
        byte[] head = new SftpWriter(0, length).done();
        ByteArrayInputStream bytes = new ByteArrayInputStream(head, 1, 4);
        assertThrows(SftpFault.class, () -> FarLink.packet(new DataInputStream(bytes)));
    }

    private void ask() {
        var _ = exchanges.ask(new SftpWriter(Sftp.REMOVE, 0), Sftp.STATUS, 10);
    }

    private void answer(int id) {
        exchanges.handle(new SftpWriter(Sftp.STATUS, id).u32(Sftp.OK).done());
    }
}
