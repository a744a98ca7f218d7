package brig.gateway.events;

import brig.gateway.time.Clock;
import brig.protocol.api.EventPage;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The newest events that agents' hooks reported: a window bounded by size and count, for clients that watch many
 * sessions. An event is published only after it is on disk, so it survives a restart with the same number. Owned by the
 * event loop.
 *
 * <p>Decision 0035.
 */
public final class HookEvents {
    static final int EVENTS_MAX = 10_000;
    static final long CHARACTERS_MAX = 8 * 1024 * 1024;

    /** @param json the event as one object, including its number */
    public record Kept(long seq, String spawnId, String sessionId, String json) {
        public EventPage.Event event() {
            return Json.read(json.getBytes(StandardCharsets.UTF_8), EventPage.Event.class);
        }
    }

    /** Persistence of events. */
    public interface Store {
        /** Stores an event, may drop those before {@code firstKept}. Completes on the event loop, in order of calls. */
        CompletionStage<Void> add(String epoch, Kept event, long firstKept);
    }

    private final Clock clock;
    private final Store store;
    private final String epoch;
    private final ArrayDeque<Kept> window = new ArrayDeque<>();
    private final List<Runnable> followers = new ArrayList<>();
    private long characters;
    private long lastSeq;
    /** The number of the newest event given to the store. */
    private long givenSeq;

    /**
     * @param epoch the epoch of the stored events; a new one if there are none
     * @param kept the stored events, oldest first
     */
    public HookEvents(Clock clock, Store store, String epoch, List<Kept> kept) {
        this.clock = clock;
        this.store = store;
        this.epoch = epoch;
        kept.forEach(this::append);
        givenSeq = lastSeq;
    }

    /**
     * Stores an event, then tells the followers.
     *
     * @param sessionId the agent's own session id, if reported
     * @param data further content; null for none
     */
    public CompletionStage<EventPage.Event> add(
            String type, String spawnId, @Nullable String sessionId, @Nullable JsonObject data) {
        EventPage.Event event = new EventPage.Event(
                ++givenSeq, clock.nowMs(), type, spawnId, sessionId, data == null ? JsonObject.EMPTY : data);
        Kept kept = new Kept(
                givenSeq,
                spawnId,
                sessionId == null ? "" : sessionId,
                new String(Json.write(event), StandardCharsets.UTF_8));
        return store.add(epoch, kept, firstSeq()).thenApply(stored -> {
            append(kept);
            List.copyOf(followers).forEach(Runnable::run);
            return event;
        });
    }

    private void append(Kept event) {
        window.add(event);
        lastSeq = event.seq();
        characters += event.json().length();
        while (window.size() > EVENTS_MAX || (characters > CHARACTERS_MAX && window.size() > 1)) {
            characters -= window.remove().json().length();
        }
    }

    /** Available events after that number, of one session or spawn or of all, oldest first. */
    public List<Kept> after(long seq, @Nullable String session, int limit) {
        return window.stream()
                .filter(event -> event.seq() > seq)
                .filter(event ->
                        session == null || session.equals(event.sessionId()) || session.equals(event.spawnId()))
                .limit(limit)
                .toList();
    }

    /** The oldest available number; one more than the newest if there is none. */
    public long firstSeq() {
        Kept first = window.peek();
        return first == null ? lastSeq + 1 : first.seq();
    }

    public long lastSeq() {
        return lastSeq;
    }

    /** Changes only with the database: numbers of another epoch are unrelated. */
    public String epoch() {
        return epoch;
    }

    /** Runs the follower after each event, until the returned handle is run. */
    public Runnable follow(Runnable follower) {
        followers.add(follower);
        return () -> followers.remove(follower);
    }
}
