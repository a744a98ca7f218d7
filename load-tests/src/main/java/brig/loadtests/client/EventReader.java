package brig.loadtests.client;

import brig.protocol.StreamPosition;
import brig.protocol.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Server-sent events in a chunked response. It checks the rules of section 4.3 for every event. */
public final class EventReader implements Reader {
    private final Wire wire;
    private final Http.Head head;
    private final String code;
    private String epoch = "";
    private boolean welcomed;
    private long chunkBytes;
    private long lastDataNanos = System.nanoTime();
    private boolean over;
    private boolean orderly;

    /** @param cutBytes the connection is cut after that many bytes of the body */
    public EventReader(Wire wire, long cutBytes) throws IOException {
        this.wire = wire;
        head = Http.head(wire);
        code = head.status() == 200 ? "" : Http.answer(wire, head).code();
        wire.cutAfter(cutBytes);
    }

    public Http.Head head() {
        return head;
    }

    @Override
    public Event next() throws IOException {
        if (!welcomed) {
            welcomed = true;
            over = head.status() != 200;
            return over ? new Event.Refused(head.status(), code) : welcome();
        }
        return over ? new Event.End(orderly, 0, "") : event();
    }

    private Event welcome() {
        Violation.require(head.header("content-type").startsWith("text/event-stream"), "no event stream came");
        String text = head.header("brig-resumed-from");
        StreamPosition position =
                StreamPosition.parse(text).orElseThrow(() -> new Violation("Brig-Resumed-From is '" + text + "'"));
        epoch = position.epoch();
        return new Event.Welcome(epoch, position.seq() + 1, JsonObject.EMPTY);
    }

    private Event event() throws IOException {
        String id = "";
        String name = "";
        String data = "";
        boolean comment = false;
        for (@Nullable String line = line(); line != null; line = line()) {
            if (line.isEmpty()) {
                return event(id, name, data, comment);
            }
            comment |= line.startsWith(":");
            id = line.startsWith("id: ") ? line.substring(4) : id;
            name = line.startsWith("event: ") ? line.substring(7) : name;
            data = line.startsWith("data: ") ? line.substring(6) : data;
        }
        over = true;
        return new Event.End(orderly, 0, "");
    }

    private Event event(String id, String name, String data, boolean comment) {
        if (data.isEmpty()) {
            Violation.require(comment, "an event without data came");
            Violation.require(
                    (System.nanoTime() - lastDataNanos) / 1_000_000 < wire.patienceMs(),
                    "nothing but comments came for " + wire.patienceMs() + " ms");
            return new Event.Comment();
        }
        lastDataNanos = System.nanoTime();
        Event event = Event.of(data.getBytes(StandardCharsets.UTF_8));
        if (event instanceof Event.Frame frame) {
            Violation.requireEqual(epoch + "-" + frame.seq(), id, "the id of frame " + frame.seq());
        } else {
            Violation.requireEqual("", id, "the id of an event '" + name + "'");
        }
        if (event instanceof Event.Gap) {
            Violation.requireEqual("gap", name, "the name of a gap's event");
        }
        return event;
    }

    private @Nullable String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = read(); next != '\n'; next = read()) {
            if (next < 0) {
                return null;
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    /** The next byte without the chunks' framing. */
    private int read() throws IOException {
        while (chunkBytes == 0) {
            byte @Nullable [] size = wire.line();
            String text = size == null ? "" : new String(size, StandardCharsets.US_ASCII).trim();
            if (text.equals("0")) {
                orderly = true;
                return -1;
            }
            if (size == null) {
                return -1;
            }
            chunkBytes = text.isEmpty() ? 0 : Long.parseLong(text, 16);
        }
        chunkBytes--;
        return wire.read();
    }

    @Override
    public void say(String line) {
        throw new IllegalStateException("events go one way");
    }

    @Override
    public void close() throws IOException {
        wire.close();
    }
}
