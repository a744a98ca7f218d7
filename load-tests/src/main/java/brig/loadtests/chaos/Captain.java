package brig.loadtests.chaos;

import brig.loadtests.client.Event;
import brig.loadtests.client.Http;
import brig.loadtests.client.OpenRequest;
import brig.loadtests.client.Reader;
import brig.loadtests.client.Session;
import brig.loadtests.client.StreamTransport;
import brig.loadtests.client.Transcript;
import brig.loadtests.client.Violation;
import brig.protocol.frame.CaptainLine.UserMessage;
import brig.protocol.frame.Frame;
import brig.protocol.frame.MultiplexLine;
import brig.protocol.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sends a session messages while its readers read, as in section 3: a message not {@code accepted} when a connection
 * ends is sent again on the next with the same id. Each message makes the agent write a line of its own, so the stream
 * shows how often it ran. When all are done, shown by a last message, the captain ends the spawn. Used by the thread of
 * its {@link ResumingReader}.
 */
final class Captain implements ResumingReader.Role {
    private static final int MESSAGES_MAX = 6;
    /** On average one message per this many events. */
    private static final int EVENTS_EACH = 8;

    private static final int ACCEPTED_STATUS = 202;
    private static final String ENDED = "SESSION_ENDED";
    private static final String LAST = "last-";

    private final Session session;
    private final Random random;
    private final int wanted;
    private final Set<String> accepted = new LinkedHashSet<>();
    /** All messages ever sent, and how often. */
    private final Map<String, Integer> said = new LinkedHashMap<>();

    private boolean satisfied;

    public Captain(Session session, Random random) {
        this.session = session;
        this.random = random;
        wanted = 1 + random.nextInt(MESSAGES_MAX);
    }

    /** The fate of a session's messages. */
    public record Tally(int sent, int run, int toldLost, int doubled, int untold) {}

    @Override
    public OpenRequest opening() {
        return OpenRequest.captain(session);
    }

    @Override
    public boolean handle(Reader reader, StreamTransport way, Event event, Transcript transcript) throws IOException {
        return switch (event) {
            case Event.Welcome _ -> {
                // A stream that begins anew need not have what was seen before; its new epoch says so.
                satisfied &= transcript.next() > 1;
                yield sayAgain(reader, way);
            }
            case Event.Note note when note.type().equals("error") -> note.code().equals(ENDED);
            case Event.Frame frame -> handleFrame(reader, way, frame.says(), transcript);
            // The gap may contain the end of a turn.
            case Event.Gap _ -> go(reader, way, true, transcript);
            default -> true;
        };
    }

    private boolean handleFrame(Reader reader, StreamTransport way, @Nullable Frame says, Transcript transcript)
            throws IOException {
        return switch (says) {
            case Frame.Accepted taken -> {
                accepted.add(taken.messageId());
                yield true;
            }
            // It may be repeated; the same refusal comes while the worker-agent is away.
            case Frame.Failure failure -> failure.messageId() == null || !isOpen(failure.messageId());
            case Frame.Done _ ->
                go(
                        reader,
                        way,
                        transcript.dones() > said.size() || !transcript.gaps().isEmpty(),
                        transcript);
            case null, default -> go(reader, way, false, transcript);
        };
    }

    private boolean isOpen(String name) {
        return said.containsKey(name) && !accepted.contains(name);
    }

    private boolean sayAgain(Reader reader, StreamTransport way) throws IOException {
        boolean taken = !satisfied || end();
        for (String name : List.copyOf(said.keySet())) {
            taken = taken && (!isOpen(name) || say(reader, way, name));
        }
        return taken;
    }

    /** Takes the next step: the next message, the last one, or the end. */
    private boolean go(Reader reader, StreamTransport way, boolean isIdle, Transcript transcript) throws IOException {
        boolean isDue = isIdle || random.nextInt(EVENTS_EACH) == 0;
        int sent = said.size();
        String last = LAST + transcript.gaps().size();
        if (sent < wanted) {
            // Some leave at once: their message must still be accepted once.
            return !isDue || (say(reader, way, "m" + sent) && random.nextInt(MESSAGES_MAX) > 0);
        }
        if (!said.containsKey(last)) {
            return say(reader, way, last);
        }
        if (!satisfied && runs(transcript, last) > 0) {
            satisfied = true;
            return end();
        }
        return true;
    }

    private boolean say(Reader reader, StreamTransport way, String name) throws IOException {
        said.merge(name, 1, Integer::sum);
        String content = "echo " + line(name);
        switch (way) {
            case SSE -> {
                return post(new String(Json.write(new Input(content, name)), StandardCharsets.UTF_8));
            }
            case MANY -> reader.say(new MultiplexLine.Send(session.id(), content, name));
            case UNIX, WEBSOCKET -> reader.say(UserMessage.of(content, name));
        }
        return true;
    }

    /** A message over HTTP (section 4.2). */
    private record Input(String content, String messageId) {}

    /** Whether to read on: the message was accepted, or no more will be. */
    private boolean post(String body) throws IOException {
        try {
            Http.Answer answer = session.target()
                    .ask(
                            "POST /api/v1/sessions/" + session.id() + "/input",
                            session.target().headers(session.captainToken()),
                            body);
            return answer.status() == ACCEPTED_STATUS || answer.code().equals(ENDED);
        } catch (Violation cut) {
            // Caused by a kill: this is not a connection of the stream.
            return false;
        }
    }

    /** Ends the spawn; without an answer the next connection begins with that. */
    private boolean end() throws IOException {
        try {
            session.close();
            return true;
        } catch (Violation cut) {
            return false;
        }
    }

    private static String line(String name) {
        return "ran " + name;
    }

    private static int runs(Transcript transcript, String name) {
        return (int)
                transcript.text().toString().lines().filter(line(name)::equals).count();
    }

    /**
     * Judges the messages by the whole stream. A message that did not run is reported lost if the session ended first,
     * or a gap may cover its line.
     */
    public Tally tally(Transcript transcript) {
        int run = 0;
        int toldLost = 0;
        int doubled = 0;
        int untold = 0;
        List<String> turns = transcript.frames(Frame.Message.class).stream()
                .filter(turn -> !turn.more())
                .map(Frame.Message::messageId)
                .toList();
        for (String name : said.keySet()) {
            int runs = runs(transcript, name);
            boolean twice = runs > 1 || turns.stream().filter(name::equals).count() > 1;
            doubled += twice ? 1 : 0;
            run += runs > 0 ? 1 : 0;
            boolean isTold = !satisfied || !transcript.gaps().isEmpty();
            toldLost += runs == 0 && isTold ? 1 : 0;
            untold += (runs == 0 || !accepted.contains(name)) && !isTold ? 1 : 0;
        }
        return new Tally(said.size(), run, toldLost, doubled, untold);
    }

    /** Number of repetitions. */
    public int repeats() {
        return said.values().stream().mapToInt(times -> times - 1).sum();
    }

    /** Whether the session ended because this captain was done. */
    public boolean isSatisfied() {
        return satisfied;
    }

    /** The agent's output for the messages, in the order of their acceptance. */
    public String output() {
        StringBuilder output = new StringBuilder();
        accepted.forEach(name -> output.append(line(name)).append('\n'));
        return output.toString();
    }
}
