package brig.gateway.events;

import brig.gateway.time.Clock;
import brig.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    public record Event(long seq, String spawnId, String sessionId, String json) {
        public Map<String, @Nullable Object> map() {
            return Json.parseObject(json.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** What an event says. */
    public record Report(
            String type, String spawnId, @Nullable String sessionId, Map<String, @Nullable Object> data) {}

    /** Where events survive a restart. */
    public interface Store {
        /** Keeps an event, and need keep none before {@code firstKept}. Completes on the event loop, in the order of calls. */
        CompletionStage<Void> add(String epoch, Event event, long firstKept);
    }

    private final Clock clock;
    private final Store store;
    private final String epoch;
    private final ArrayDeque<Event> window = new ArrayDeque<>();
    private final List<Runnable> followers = new ArrayList<>();
    private long characters;
    private long lastSeq;
    /** The number of the newest that the store was given. */
    private long givenSeq;

    /**
     * @param epoch that of the events that are kept; a new one where none is
     * @param kept what the store has, oldest first
     */
    public HookEvents(Clock clock, Store store, String epoch, List<Event> kept) {
        this.clock = clock;
        this.store = store;
        this.epoch = epoch;
        kept.forEach(this::append);
        givenSeq = lastSeq;
    }

    /** Writes an event down, and then tells the followers. */
    public CompletionStage<Event> add(Report report) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("seq", ++givenSeq);
        map.put("ts", clock.nowMs());
        map.put("type", report.type());
        map.put("spawn_id", report.spawnId());
        String sessionId = report.sessionId();
        if (sessionId != null) {
            map.put("session_id", sessionId);
        }
        map.put("data", report.data());
        Event event = new Event(
                givenSeq,
                report.spawnId(),
                sessionId == null ? "" : sessionId,
                new String(Json.write(map), StandardCharsets.UTF_8));
        return store.add(epoch, event, firstSeq()).thenApply(kept -> {
            append(event);
            List.copyOf(followers).forEach(Runnable::run);
            return event;
        });
    }

    private void append(Event event) {
        window.add(event);
        lastSeq = event.seq();
        characters += event.json().length();
        while (window.size() > EVENTS_MAX || (characters > CHARACTERS_MAX && window.size() > 1)) {
            characters -= window.remove().json().length();
        }
    }

    /** Those after that number that are still there, of one session or spawn or of all, oldest first. */
    public List<Event> after(long seq, @Nullable String session, int limit) {
        return window.stream()
                .filter(event -> event.seq() > seq)
                .filter(event ->
                        session == null || session.equals(event.sessionId()) || session.equals(event.spawnId()))
                .limit(limit)
                .toList();
    }

    /** The oldest that is still there; one more than the newest where nothing is. */
    public long firstSeq() {
        Event first = window.peek();
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
