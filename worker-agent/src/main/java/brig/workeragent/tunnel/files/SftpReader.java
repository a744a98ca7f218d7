package brig.workeragent.tunnel.files;

import java.nio.ByteBuffer;

/** Reads the fields of one packet. What is not there, or longer than the caller allows, is an {@link SftpFault}. */
final class SftpReader {
    private final ByteBuffer packet;

    SftpReader(byte[] packet) {
        this.packet = ByteBuffer.wrap(packet);
    }

    int u8() {
        return need(Byte.BYTES).get() & 0xff;
    }

    int u32() {
        return need(Integer.BYTES).getInt();
    }

    long u64() {
        return need(Long.BYTES).getLong();
    }

    byte[] string(int bytesMax) {
        int length = u32();
        if (length < 0 || length > bytesMax || length > packet.remaining()) {
            throw new SftpFault("a string of " + Integer.toUnsignedString(length) + " bytes");
        }
        byte[] bytes = new byte[length];
        packet.get(bytes);
        return bytes;
    }

    int remaining() {
        return packet.remaining();
    }

    void end() {
        if (packet.hasRemaining()) {
            throw new SftpFault(packet.remaining() + " bytes behind the end of a packet");
        }
    }

    private ByteBuffer need(int bytes) {
        if (packet.remaining() < bytes) {
            throw new SftpFault("a packet is cut");
        }
        return packet;
    }
}
