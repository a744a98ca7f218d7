package brig.egress.dns;

import brig.protocol.address.HostNames;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A DNS query with exactly one question of class IN (RFC 1035). Other messages are not answered.
 *
 * <p>Decision 0143.
 */
final class DnsQuery {
    static final int TYPE_A = 1;
    static final int TYPE_AAAA = 28;
    static final int NO_ERROR = 0;
    static final int SERVER_FAILURE = 2;
    static final int NO_SUCH_NAME = 3;
    static final int NOT_IMPLEMENTED = 4;

    private static final int HEADER_BYTES = 12;
    private static final int CLASS_IN = 1;
    private static final int FLAG_RESPONSE = 0x8000;
    private static final int FLAG_RECURSION_DESIRED = 0x0100;
    private static final int FLAG_RECURSION_AVAILABLE = 0x0080;
    private static final int OPCODE = 0x7800;
    private static final int LABEL_BYTES_MAX = 63;
    private static final int NAME_BYTES_MAX = 255;
    private static final int POINTER_TO_QUESTION = 0xc000 | HEADER_BYTES;
    private static final int IPV4_BYTES = 4;

    private final int id;
    private final boolean recursionDesired;
    private final @Nullable String name;
    private final int type;
    /** The question's bytes: name, type and class. */
    private final byte[] question;

    private DnsQuery(int id, boolean recursionDesired, @Nullable String name, int type, byte[] question) {
        this.id = id;
        this.recursionDesired = recursionDesired;
        this.name = name;
        this.type = type;
        this.question = question;
    }

    /** The normalized name; null if no host could have it. */
    @Nullable
    String name() {
        return name;
    }

    int type() {
        return type;
    }

    /** Parses a message; null if it is not a query. */
    static @Nullable DnsQuery parse(byte[] message) {
        if (message.length < HEADER_BYTES + 5) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(message);
        int id = in.getShort() & 0xffff;
        int flags = in.getShort() & 0xffff;
        int questions = in.getShort() & 0xffff;
        if ((flags & (FLAG_RESPONSE | OPCODE)) != 0 || questions != 1) {
            return null;
        }
        in.position(HEADER_BYTES);
        StringBuilder name = new StringBuilder();
        if (!readName(in, name) || in.remaining() < 4) {
            return null;
        }
        int type = in.getShort() & 0xffff;
        if ((in.getShort() & 0xffff) != CLASS_IN) {
            return null;
        }
        byte[] question = new byte[in.position() - HEADER_BYTES];
        System.arraycopy(message, HEADER_BYTES, question, 0, question.length);
        return new DnsQuery(
                id, (flags & FLAG_RECURSION_DESIRED) != 0, HostNames.normalize(name.toString()), type, question);
    }

    private static boolean readName(ByteBuffer in, StringBuilder name) {
        for (int bytes = 0; in.hasRemaining(); ) {
            int length = in.get() & 0xff;
            bytes += length + 1;
            // A compression pointer is invalid here: no name precedes it.
            if (length > LABEL_BYTES_MAX || bytes > NAME_BYTES_MAX || in.remaining() < length) {
                return false;
            }
            if (length == 0) {
                return true;
            }
            byte[] label = new byte[length];
            in.get(label);
            name.append(name.isEmpty() ? "" : ".").append(new String(label, StandardCharsets.ISO_8859_1));
        }
        return false;
    }

    /** An answer with that code and those IPv4 addresses. */
    byte[] answer(int code, List<byte[]> addresses, int ttlSeconds) {
        ByteBuffer out =
                ByteBuffer.allocate(HEADER_BYTES + question.length + addresses.size() * (HEADER_BYTES + IPV4_BYTES));
        out.putShort((short) id);
        out.putShort((short)
                (FLAG_RESPONSE | FLAG_RECURSION_AVAILABLE | code | (recursionDesired ? FLAG_RECURSION_DESIRED : 0)));
        out.putShort((short) 1).putShort((short) addresses.size()).putInt(0).put(question);
        for (byte[] address : addresses) {
            out.putShort((short) POINTER_TO_QUESTION)
                    .putShort((short) TYPE_A)
                    .putShort((short) CLASS_IN)
                    .putInt(ttlSeconds)
                    .putShort((short) IPV4_BYTES)
                    .put(address);
        }
        return out.array();
    }
}
