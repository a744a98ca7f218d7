package brig.loadtests.chaos;

import brig.loadtests.client.Event;
import brig.loadtests.client.OpenRequest;
import brig.loadtests.client.Reader;
import brig.loadtests.client.Session;
import brig.loadtests.client.StreamTransport;
import brig.loadtests.client.Transcript;
import brig.loadtests.client.Violation;
import brig.protocol.StreamPosition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A client that reads a session to its end whatever happens to the server: it disconnects at random, resumes after its
 * last frame, and waits while nobody answers. The {@link Transcript} judges all that it reads. Used by one thread.
 */
final class ResumingReader {
    private static final long PAUSE_MS_MIN = 100;
    private static final long PAUSE_MS_MAX = 1_600;
    private static final int EVENTS_MAX = 400;

    /** The role of the client. */
    interface Role {
        /** The request for the stream, with the token. */
        OpenRequest opening();

        /** Handles what was read, and may write; whether to read on over this connection. */
        boolean handle(Reader reader, StreamTransport way, Event event, Transcript transcript) throws IOException;
    }

    private final Session session;
    private final StreamTransport way;
    private final Random random;
    private final Role role;
    private Transcript transcript = Transcript.from(1);
    private String epoch = "";
    /** Whether the current or last connection has begun to read. */
    private boolean letIn;

    private int connections;
    private int epochs;
    private long doubled;
    private long untold;

    public ResumingReader(Session session, StreamTransport way, Random random, Role role) {
        this.session = session;
        this.way = way;
        this.random = random;
        this.role = role;
    }

    /** A role that never writes. */
    public static Role watcher(Session session) {
        return new Role() {
            @Override
            public OpenRequest opening() {
                return OpenRequest.watcher(session);
            }

            @Override
            public boolean handle(Reader reader, StreamTransport way, Event event, Transcript transcript) {
                return true;
            }
        };
    }

    /** Reads until the last frame, or until it is to give up; whether the last frame came. */
    public boolean run(BooleanSupplier givesUp) throws InterruptedException {
        long pauseMs = PAUSE_MS_MIN;
        while (!transcript.terminated() && !givesUp.getAsBoolean()) {
            if (connect()) {
                pauseMs = PAUSE_MS_MIN;
            } else {
                TimeUnit.MILLISECONDS.sleep(pauseMs);
                pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX);
            }
        }
        return transcript.terminated();
    }

    /** One connection, or an attempt; whether it brought the client on. */
    private boolean connect() {
        letIn = false;
        try {
            return readSome();
        } catch (IOException nobodyAnswers) {
            return false;
        } catch (Violation cut) {
            // A connection cut before it was admitted says nothing about the stream.
            if (letIn) {
                throw cut;
            }
            return false;
        }
    }

    /** One connection; whether it brought frames, or the client left it by itself. */
    private boolean readSome() throws IOException {
        long begun = transcript.next();
        StreamTransport now = now();
        try (Reader reader = open(now)) {
            int left = 1 + random.nextInt(EVENTS_MAX);
            for (; left > 0 && !transcript.terminated(); left--) {
                Event event = reader.next();
                if (event instanceof Event.End || event instanceof Event.Refused) {
                    return transcript.next() > begun;
                }
                if (event instanceof Event.Welcome welcome) {
                    letIn = true;
                    connections++;
                    if (enter(welcome)) {
                        return true;
                    }
                }
                accept(event);
                if (!role.handle(reader, now, event, transcript)) {
                    return false;
                }
            }
            return true;
        }
    }

    /** An ended session has no socket, so its record is read another way. */
    private StreamTransport now() {
        return way == StreamTransport.UNIX && !Files.exists(Path.of(session.ioSocket()))
                ? StreamTransport.WEBSOCKET
                : way;
    }

    private Reader open(StreamTransport now) throws IOException {
        OpenRequest opening = role.opening().from(transcript.next());
        if (way != StreamTransport.SSE || epoch.isEmpty()) {
            return now.open(session, epoch.isEmpty() ? role.opening() : opening);
        }
        Map<String, String> headers = session.target().headers(opening.token());
        headers.put("Last-Event-ID", new StreamPosition(epoch, transcript.next() - 1).toString());
        return StreamTransport.events(session, "", headers, opening);
    }

    /** In a new epoch earlier counts are void. Whether to reconnect at the beginning. */
    private boolean enter(Event.Welcome welcome) {
        if (epoch.equals(welcome.epoch())) {
            return false;
        }
        boolean fromTheBeginning = welcome.from() == 1;
        if (!epoch.isEmpty()) {
            transcript = Transcript.from(1);
        }
        epoch = welcome.epoch();
        epochs++;
        return !fromTheBeginning;
    }

    private void accept(Event event) {
        if (event instanceof Event.Gap gap && gap.reason().equals("epoch_changed")) {
            return;
        }
        long seq = event instanceof Event.Frame frame
                ? frame.seq()
                : event instanceof Event.Welcome welcome ? welcome.from() : transcript.next();
        doubled += seq < transcript.next() ? 1 : 0;
        untold += seq > transcript.next() ? 1 : 0;
        transcript.accept(event);
    }

    public Transcript transcript() {
        return transcript;
    }

    public String epoch() {
        return epoch;
    }

    public StreamTransport way() {
        return way;
    }

    /** How many connections were admitted. */
    public int connections() {
        return connections;
    }

    /** How often the client was told that the stream began anew. */
    public int restarts() {
        return Math.max(0, epochs - 1);
    }

    public long doubled() {
        return doubled;
    }

    public long untold() {
        return untold;
    }
}
