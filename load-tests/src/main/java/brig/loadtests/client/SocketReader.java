package brig.loadtests.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A WebSocket (RFC 6455). On a multiplexed one the line that names the session is removed, and {@link #session()}
 * returns the session of the last event.
 */
public final class SocketReader implements Reader {
    private static final int TEXT = 1;
    public static final int BINARY = 2;
    private static final int CLOSE = 8;
    private static final int PING = 9;
    private static final int PONG = 10;

    private final Wire wire;
    private final Http.Head head;
    private final String code;
    private final boolean many;
    private final Deque<String> lines = new ArrayDeque<>();
    private String session = "";
    private Event.@Nullable End end;
    private boolean refused;

    /** @param cutBytes the connection is cut after that many bytes following the upgrade */
    public SocketReader(Wire wire, boolean many, long cutBytes) throws IOException {
        this.wire = wire;
        this.many = many;
        head = Http.head(wire);
        refused = head.status() != 101;
        code = refused ? Http.answer(wire, head).code() : "";
        wire.cutAfter(cutBytes);
    }

    /** The session of the last event; empty if it concerned the connection. */
    public String session() {
        return session;
    }

    @Override
    public Event next() throws IOException {
        if (refused) {
            refused = false;
            end = Event.End.CUT;
            return new Event.Refused(head.status(), code);
        }
        while (lines.isEmpty() && end == null) {
            readMessage();
        }
        return lines.isEmpty() && end != null ? end : Event.of(lines.remove().getBytes(StandardCharsets.UTF_8));
    }

    private void readMessage() throws IOException {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        boolean last = false;
        while (!last && end == null) {
            int first = wire.read();
            byte @Nullable [] payload = first < 0 ? null : payload();
            if (payload == null) {
                end = Event.End.CUT;
                return;
            }
            int opcode = first & 0xf;
            if (opcode == CLOSE) {
                end = close(payload);
                send(CLOSE, payload);
            } else if (opcode == PING) {
                send(PONG, payload);
            } else if (opcode < CLOSE) {
                message.writeBytes(payload);
                last = (first & 0x80) != 0;
            }
        }
        if (last) {
            split(message.toString(StandardCharsets.UTF_8));
        }
    }

    private byte @Nullable [] payload() throws IOException {
        int length = wire.read();
        byte @Nullable [] extended = length == 126 ? wire.bytes(2) : length == 127 ? wire.bytes(8) : new byte[0];
        if (length < 0 || extended == null) {
            return null;
        }
        long bytes = length < 126 ? length : new BigInteger(1, extended).longValueExact();
        return wire.bytes(bytes);
    }

    private static Event.End close(byte[] payload) {
        return payload.length < 2
                ? new Event.End(true, 1005, "")
                : new Event.End(
                        true,
                        ByteBuffer.wrap(payload).getShort() & 0xffff,
                        new String(payload, 2, payload.length - 2, StandardCharsets.UTF_8));
    }

    private void split(String message) {
        message.lines().filter(line -> !line.isEmpty()).forEach(lines::add);
        if (many && !lines.isEmpty()) {
            Event first = Event.of(lines.peek().getBytes(StandardCharsets.UTF_8));
            boolean named = first instanceof Event.Note note && note.type().equals("session");
            session = named ? ((Event.Note) first).fields().text("spawn_id", "") : "";
            boolean own = first instanceof Event.Note && !named;
            Violation.require(named || own, "a message about a session does not begin with its name");
            if (named) {
                lines.remove();
            }
        }
    }

    @Override
    public void say(String line) throws IOException {
        send(TEXT, line.getBytes(StandardCharsets.UTF_8));
    }

    public void send(int opcode, byte[] payload) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(payload.length + 14).put((byte) (0x80 | opcode));
        if (payload.length < 126) {
            frame.put((byte) (0x80 | payload.length));
        } else if (payload.length < 65_536) {
            frame.put((byte) (0x80 | 126)).putShort((short) payload.length);
        } else {
            frame.put((byte) (0x80 | 127)).putLong(payload.length);
        }
        frame.putInt(0).put(payload); // a mask of zero bits changes nothing
        wire.send(Arrays.copyOf(frame.array(), frame.position()));
    }

    @Override
    public void close() throws IOException {
        wire.close();
    }
}
