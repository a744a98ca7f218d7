package brig.captain;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.frame.AttachOptions;
import brig.protocol.frame.CaptainLine;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A gateway that says what a test tells it to: what it is asked waits in a queue, and so do its answers. */
public final class ScriptedGateway implements CaptainGateway {
    private static final String END = "";
    private static final long SECONDS_MAX = 20;

    public final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    /** One for each time that somebody reads a session's next line. */
    public final Semaphore reads = new Semaphore(0);

    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private volatile Stream newest;

    private record Line(String json, boolean last) {}

    public void answer(String json) {
        answers.add(json);
    }

    /** @param last nothing more is there to be read behind it */
    public void frame(String json, boolean last) {
        newest.lines.add(new Line(json, last));
    }

    /** The connection of the session breaks. */
    public void cut() {
        newest.broken = true;
        newest.lines.add(new Line(END, true));
    }

    /** One at a time: the answers of a script are to its requests in their order, whichever threads make them. */
    @Override
    public synchronized <T> T request(SpawnerRequest request, Class<T> wanted) {
        said.add(text((Record) request));
        try {
            String answer = answers.poll(SECONDS_MAX, TimeUnit.SECONDS);
            if (answer == null) {
                throw new AssertionError("the script has no answer to " + request);
            }
            JsonObject read = JsonObject.read(answer.getBytes(UTF_8));
            if (read.has("code")) {
                throw new BrigException(ErrorCode.valueOf(read.text("code")), read.text("error", ""));
            }
            return read.as(wanted);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public Attached attach(String id, long from) {
        Stream stream = new Stream();
        newest = stream;
        stream.welcome = request(
                new SpawnerRequest.Attach(id, new AttachOptions(from, null, false, null, null, 0)),
                ConnectionLine.Authenticated.class);
        return stream;
    }

    @Override
    public void close() {
        said.add("closed");
    }

    private static String text(Record json) {
        return new String(Json.canonical(json), UTF_8);
    }

    private final class Stream implements Attached {
        private final BlockingQueue<Line> lines = new LinkedBlockingQueue<>();
        private volatile boolean drained;
        private volatile boolean broken;
        private volatile ConnectionLine.Authenticated welcome;

        @Override
        public ConnectionLine.Authenticated welcome() {
            return welcome;
        }

        @Override
        public JsonObject next() {
            reads.release();
            try {
                Line line = lines.take();
                drained = line.last();
                return line.json().equals(END)
                        ? null
                        : JsonObject.read(line.json().getBytes(UTF_8));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public boolean isDrained() {
            return drained;
        }

        @Override
        public void send(CaptainLine.Order line) {
            if (broken) {
                throw new BrigException(ErrorCode.SHUTTING_DOWN, "the connection to the gateway is lost");
            }
            said.add(text((Record) line));
        }

        @Override
        public void close() {
            lines.add(new Line(END, true));
        }
    }
}
