package brig.acp;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A gateway that says what a test tells it to: what it is asked waits in a queue, and so do its answers. */
final class ScriptedGateway implements AcpGateway {
    private static final String END = "";
    private static final long SECONDS_MAX = 20;

    final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private volatile Stream newest;

    private record Line(String json, boolean last) {}

    void answer(String json) {
        answers.add(json);
    }

    /** @param last nothing more is there to be read behind it */
    void frame(String json, boolean last) {
        newest.lines.add(new Line(json, last));
    }

    /** The connection of the session breaks. */
    void cut() {
        newest.broken = true;
        newest.lines.add(new Line(END, true));
    }

    @Override
    public Fields request(Map<String, ?> request) {
        said.add(text(request));
        try {
            String answer = answers.poll(SECONDS_MAX, TimeUnit.SECONDS);
            if (answer == null) {
                throw new AssertionError("the script has no answer to " + request);
            }
            Fields fields = new Fields(Json.parseObject(answer.getBytes(UTF_8)));
            if (fields.has("code")) {
                throw new BrigException(ErrorCode.valueOf(fields.requiredText("code")), fields.text("error", ""));
            }
            return fields;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public Attached attach(String id, long from) {
        Stream stream = new Stream();
        newest = stream;
        stream.welcome = request(Map.of("action", "attach", "id", id, "from", from));
        return stream;
    }

    @Override
    public void close() {
        said.add("closed");
    }

    static String text(Map<String, ?> json) {
        return new String(Json.canonical(json), UTF_8);
    }

    private final class Stream implements Attached {
        private final BlockingQueue<Line> lines = new LinkedBlockingQueue<>();
        private volatile boolean drained;
        private volatile boolean broken;
        private volatile Fields welcome;

        @Override
        public Fields welcome() {
            return welcome;
        }

        @Override
        public Fields next() {
            try {
                Line line = lines.take();
                drained = line.last();
                return line.json().equals(END)
                        ? null
                        : new Fields(Json.parseObject(line.json().getBytes(UTF_8)));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public boolean isDrained() {
            return drained;
        }

        @Override
        public void send(Map<String, ?> message) {
            if (broken) {
                throw new BrigException(ErrorCode.SHUTTING_DOWN, "the connection to the gateway is lost");
            }
            said.add(text(message));
        }

        @Override
        public void close() {
            lines.add(new Line(END, true));
        }
    }
}
