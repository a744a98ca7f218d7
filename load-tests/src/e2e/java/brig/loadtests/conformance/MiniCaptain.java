package brig.loadtests.conformance;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.StreamPosition;
import brig.protocol.frame.AttachOptions;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.LineDecoder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** A connection of lines to a mini server: a Unix socket, or a WebSocket of one session or of many. */
final class MiniCaptain implements LineDecoder.Sink {
    /** Kinds of connections. */
    enum Kind {
        UNIX,
        SINGLE,
        MANY
    }

    private static final String PONG = MiniServer.text(JsonObject.of(new ConnectionLine.Pong()));

    private record Attached(MiniSession session, boolean captain, MiniReader reader) {}

    private final MiniServer server;
    private final MiniChannel channel;
    private final Kind kind;
    private final Defect defect;
    private final LineDecoder decoder;
    private final Map<String, Attached> attached = new HashMap<>();
    /** The session of the connection; null where there are many. */
    private final MiniSession own;

    private volatile boolean refused;
    private String wrote = "";

    MiniCaptain(MiniServer server, MiniChannel channel, Kind kind, MiniSession own) {
        this.server = server;
        this.channel = channel;
        this.kind = kind;
        this.own = own;
        defect = server.defect();
        int bytesMax = MiniServer.MESSAGE_BYTES_MAX * (defect == Defect.TAKES_LONG_LINES ? 4 : 1);
        decoder = new LineDecoder(defect == Defect.REFUSES_BELOW_THE_BOUND ? bytesMax / 2 : bytesMax, this);
        if (kind != Kind.MANY && defect != Defect.WAITS_FOR_AUTH_FOREVER) {
            server.after(MiniServer.AUTH_TIMEOUT_MS, () -> {
                if (attached.isEmpty() && channel.isOpen()) {
                    refuse(new BrigException(ErrorCode.AUTH_TIMEOUT, "no auth"), null);
                }
            });
        }
    }

    void readLines() throws IOException {
        byte[] buffer = new byte[8192];
        for (int count = channel.input().read(buffer);
                count >= 0 && !refused;
                count = channel.input().read(buffer)) {
            for (int i = 0; i < count; i++) {
                boolean nul = buffer[i] == 0 && defect == Defect.TAKES_NUL;
                boolean bad = buffer[i] < 0 && defect == Defect.TAKES_INVALID_UTF8;
                buffer[i] = nul ? (byte) ' ' : bad ? (byte) '?' : buffer[i];
            }
            decoder.decode(buffer, 0, count);
        }
    }

    void readMessages() throws IOException {
        for (int first = channel.input().read();
                first >= 0 && !refused;
                first = channel.input().read()) {
            int length = channel.input().read() & 0x7f;
            length = length == 126
                    ? ByteBuffer.wrap(channel.input().readNBytes(2)).getShort() & 0xffff
                    : length == 127
                            ? (int) ByteBuffer.wrap(channel.input().readNBytes(8))
                                    .getLong()
                            : length;
            channel.input().readNBytes(4); // the kit's mask changes nothing
            byte[] payload = channel.input().readNBytes(length);
            if ((first & 0xf) == 2 && defect != Defect.TAKES_BINARY) {
                close(1003, "text only");
            } else if (defect == Defect.DROPS_LINES_BEHIND_A_BAD_ONE && payload[0] != '{' && payload[0] < 'x') {
                handleBadLine(ErrorCode.MALFORMED_JSON);
            } else {
                decoder.decode(payload, 0, payload.length);
                decoder.decode(new byte[] {'\n'}, 0, 1);
            }
        }
    }

    void gone() {
        attached.values().forEach(one -> one.reader().stop());
    }

    @Override
    public void handleBadLine(ErrorCode code) {
        refuse(new BrigException(code, "a bad line"), null);
    }

    @Override
    public void handleLine(byte[] bytes, int offset, int length) {
        if (refused) {
            return;
        }
        JsonObject message = JsonObject.EMPTY;
        try {
            if (defect == Defect.REFUSES_EMPTY_LINES && bytes[offset + length - 1] == '\r') {
                throw new BrigException(ErrorCode.MALFORMED_JSON, "CR");
            }
            String text = new String(bytes, offset, length, StandardCharsets.UTF_8);
            message = JsonObject.read((defect == Defect.TAKES_DUPLICATE_KEYS
                            ? text.replace("\"action\":\"ping\",\"action\"", "\"action\"")
                            : text)
                    .getBytes(StandardCharsets.UTF_8));
            handle(message);
        } catch (BrigException refusal) {
            refuse(refusal, message.text("id"));
        }
    }

    private void handle(JsonObject message) {
        String action = message.text("action", "");
        if (defect == Defect.REFUSES_UNKNOWN_FIELDS) {
            for (String name : message.names()) {
                if (!Set.of("action", "id", "token", "from", "auth", "role", "content")
                        .contains(name)) {
                    throw BrigException.invalid(name, "is unknown");
                }
            }
        }
        if (kind != Kind.MANY && attached.isEmpty()) {
            if (message.text("auth") == null) {
                throw new BrigException(ErrorCode.ATTACH_AUTH_MISSING, "no auth");
            }
            attach(own, message.text("auth"), options(message));
        } else if (action.equals("ping")) {
            say(null, PONG);
        } else if (kind == Kind.MANY && action.equals("subscribe")) {
            attach(server.session(required(message, "id")), message.text("token", ""), options(message));
        } else {
            command(action, message);
        }
    }

    private void command(String action, JsonObject message) {
        Attached to = attached.get(kind == Kind.MANY ? required(message, "id") : own.id);
        if (to == null) {
            throw new BrigException(ErrorCode.UNAUTHENTICATED, "not subscribed");
        }
        if (!to.captain() && defect != Defect.WATCHER_MAY_SPEAK) {
            throw new BrigException(ErrorCode.FORBIDDEN, "a watcher only listens");
        }
        switch (action.isEmpty() ? message.text("type", "") : action) {
            case "keys", "resize" -> {
                if (defect != Defect.TAKES_KEYS_WITHOUT_A_TERMINAL) {
                    throw new BrigException(ErrorCode.INPUT_NOT_ACCEPTED, "no terminal");
                }
            }
            case "cancel" -> to.session().cancel();
            case "terminate" -> to.session().terminate();
            case "unsubscribe" -> {
                if (defect != Defect.IGNORES_UNSUBSCRIBE) {
                    attached.remove(to.session().id).reader().stop();
                }
            }
            case "send", "" -> {
                if (kind != Kind.MANY) {
                    required(message, "role");
                }
                to.session().input(required(message, "content"));
            }
            default -> {
                if (defect != Defect.PASSES_OVER_UNKNOWN_ACTIONS) {
                    throw new BrigException(ErrorCode.UNKNOWN_ACTION, action);
                }
            }
        }
    }

    private AttachOptions options(JsonObject message) {
        JsonObject read = defect == Defect.TAKES_ANY_FROM ? message.with("from", null) : message;
        if (defect == Defect.TAKES_ANY_LATENCY) {
            read = read.with("max_latency_ms", null);
        }
        return read.as(AttachOptions.class);
    }

    private static String required(JsonObject message, String name) {
        String text = message.text(name, "");
        if (text.isEmpty()) {
            throw BrigException.invalid(name, "is missing");
        }
        return text;
    }

    void attach(MiniSession session, String token, AttachOptions options) {
        boolean watches = options.watchOnly() && defect != Defect.IGNORES_ROLE;
        boolean captain = server.role(session, token) && !watches;
        long first = defect == Defect.BEGINS_LIVE_BY_DEFAULT
                ? session.lastSeq() + 1
                : defect == Defect.SKIPS_WHAT_IS_GONE ? session.firstSeq : 1;
        boolean screen = options.from() == StreamPosition.SCREEN;
        long wanted = screen && defect == Defect.TAKES_SCREEN_FOR_THE_END
                ? session.lastSeq() + 1
                : screen || options.from() == 0 ? first : options.from();
        long from = MiniReader.begin(session, wanted);
        MiniReader reader = new MiniReader(session, from, captain, options.maxLatencyMs() > 0, new Lines(session));
        reader.join();
        attached.put(session.id, new Attached(session, captain, reader));
        if (defect == Defect.WELCOME_COMES_SECOND) {
            say(session, PONG);
        }
        say(session, session.welcome(captain, defect == Defect.LIES_ABOUT_FROM ? from + 1 : from));
        reader.start();
    }

    void refuse(BrigException refusal, String id) {
        String named = defect == Defect.REFUSES_WITHOUT_ID ? null : id;
        say(null, MiniServer.text(JsonObject.of(ConnectionLine.Refused.of(refusal, named))));
        boolean stays = !attached.isEmpty() || kind == Kind.MANY || defect == Defect.STAYS_OPEN_WITHOUT_AUTH;
        if (!stays || defect == Defect.BAD_LINE_CLOSES) {
            close(
                    defect == Defect.REFUSES_WITH_WRONG_CODE
                            ? 4000
                            : refusal.code().closeCode(),
                    refusal.code().name());
        }
    }

    private void close(int code, String reason) {
        refused = true;
        if (kind != Kind.UNIX) {
            byte[] text = reason.getBytes(StandardCharsets.UTF_8);
            send(
                    0x88,
                    ByteBuffer.allocate(2 + text.length)
                            .putShort((short) code)
                            .put(text)
                            .array());
        }
        channel.finish();
    }

    /** A line of that session; of the connection where it is null. */
    private void say(MiniSession session, String line) {
        boolean named = kind == Kind.MANY && session != null && defect != Defect.MESSAGE_WITHOUT_SESSION;
        String id = named ? session.id : "";
        if (named && defect == Defect.MIXES_STREAMS) {
            id = wrote.isEmpty() ? id : wrote;
            wrote = session.id;
        }
        String lines =
                (named ? MiniServer.text(JsonObject.of(new ConnectionLine.Session(id))) + "\n" : "") + line + "\n";
        byte[] bytes = lines.getBytes(StandardCharsets.UTF_8);
        if (kind == Kind.UNIX) {
            write(bytes);
        } else {
            send(0x81, bytes);
        }
    }

    private void send(int first, byte[] payload) {
        ByteBuffer frame = ByteBuffer.allocate(payload.length + 10).put((byte) first);
        if (payload.length < 126) {
            frame.put((byte) payload.length);
        } else if (payload.length < 65_536) {
            frame.put((byte) 126).putShort((short) payload.length);
        } else {
            frame.put((byte) 127).putLong(payload.length);
        }
        frame.put(payload);
        write(Arrays.copyOf(frame.array(), frame.position()));
    }

    private void write(byte[] bytes) {
        try {
            channel.write(bytes);
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
    }

    /** What a subscription of this connection writes. */
    private final class Lines implements MiniReader.Sink {
        private final MiniSession session;

        Lines(MiniSession session) {
            this.session = session;
        }

        @Override
        public void frame(long seq, String line) {
            // What the client sends once it knows of the end is not answered, however late this thread closes.
            if (defect == Defect.CLOSES_ALL_AT_ONE_END && line.contains("\"terminated\"")) {
                refused = true;
            }
            say(session, line);
        }

        @Override
        public void state(String line) {
            say(session, line);
        }

        @Override
        public void gap(String line, long to) {
            say(session, line);
        }

        @Override
        public void cut() {
            channel.close();
        }

        @Override
        public MiniChannel channel() {
            return channel;
        }

        @Override
        public void leave(String line) {
            say(session, line);
            boolean wrong = defect == Defect.CLOSES_THE_SLOW_WITH_WRONG_CODE || defect == Defect.STOPS_WITH_WRONG_CODE;
            MiniCaptain.this.close(wrong ? 4500 : channel.isStopping() ? 4001 : 4000, "the end");
        }

        @Override
        public void end() {
            if (kind != Kind.MANY || defect == Defect.CLOSES_ALL_AT_ONE_END) {
                close(defect == Defect.CLOSES_WITH_WRONG_CODE ? 1011 : 1000, "ended");
            }
        }
    }
}
