package brig.workeragent.tunnel.files;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** Makes one packet. */
final class SftpWriter {
    private static final int ID_AT = 1;

    private final ByteArrayOutputStream packet = new ByteArrayOutputStream(64);

    SftpWriter(int type, int id) {
        packet.write(type);
        u32(id);
    }

    SftpWriter u32(int value) {
        packet.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(value).array());
        return this;
    }

    SftpWriter u64(long value) {
        packet.writeBytes(ByteBuffer.allocate(Long.BYTES).putLong(value).array());
        return this;
    }

    SftpWriter string(byte[] bytes) {
        u32(bytes.length);
        packet.writeBytes(bytes);
        return this;
    }

    byte[] done() {
        return packet.toByteArray();
    }

    /** Changes the id of a packet where it lies. */
    static byte[] withId(byte[] packet, int id) {
        ByteBuffer.wrap(packet).putInt(ID_AT, id);
        return packet;
    }
}
