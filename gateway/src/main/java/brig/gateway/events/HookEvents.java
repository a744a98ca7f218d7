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
 * What agents' hooks reported, newest last: a window, bounded by size and number, for those who watch many sessions. An
 * event is told to nobody before it is on disk, so what a reader saw is there after a restart too, under the same
 * number. State owned by the event loop.
 *
 * <p>Decision 0035.
 */
public final class HookEvents {
    static final int EVENTS_MAX = 10_000;
    static final long CHARACTERS_MAX = 8 * 1024 * 1024;

    /** @param json the event as one object, its number included */
    public record Kept(long seq, String spawnId, String sessionId, String json) {
        public EventPage.Event event() {
            return Json.read(json.getBytes(StandardCharsets.UTF_8), EventPage.Event.class);
        }
    }

    /** Where events survive a restart. */
    public interface Store {
        /** Keeps an event, and need keep none before {@code firstKept}. Completes on the event loop, in the order of calls. */
        CompletionStage<Void> add(String epoch, Kept event, long firstKept);
    }

    private final Clock clock;
    private final Store store;
    private final String epoch;
    private final ArrayDeque<Kept> window = new ArrayDeque<>();
    private final List<Runnable> followers = new ArrayList<>();
    private long characters;
    private long lastSeq;
    /** The number of the newest that the store was given. */
    private long givenSeq;

    /**
     * @param epoch that of the events that are kept; a new one where none is
     * @param kept what the store has, oldest first
     */
    public HookEvents(Clock clock, Store store, String epoch, List<Kept> kept) {
        this.clock = clock;
        this.store = store;
        this.epoch = epoch;
        kept.forEach(this::append);
        givenSeq = lastSeq;
    }

    /**
     * Writes an event down, and then tells the followers.
     *
     * @param sessionId the agent's own id, where the report says it
     * @param data what else it says; null for nothing
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

    /** Those after that number that are still there, of one session or spawn or of all, oldest first. */
    public List<Kept> after(long seq, @Nullable String session, int limit) {
        return window.stream()
                .filter(event -> event.seq() > seq)
                .filter(event ->
                        session == null || session.equals(event.sessionId()) || session.equals(event.spawnId()))
                .limit(limit)
                .toList();
    }

    /** The oldest that is still there; one more than the newest where nothing is. */
    public long firstSeq() {
        Kept first = window.peek();
        return first == null ? lastSeq + 1 : first.seq();
    }

    public long lastSeq() {
        return lastSeq;
    }

    /** Changes only with the database: numbers of another epoch mean nothing. */
    public String epoch() {
        return epoch;
    }

    /** Runs the follower after each event, until the returned handle is run. */
    public Runnable follow(Runnable follower) {
        followers.add(follower);
        return () -> followers.remove(follower);
    }
}
