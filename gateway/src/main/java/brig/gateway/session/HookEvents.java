package brig.gateway.session;

import brig.gateway.time.Clock;
import brig.protocol.Ids;
import brig.protocol.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What agents' hooks reported, newest last: a window in memory, bounded by size and number, for those who watch many
 * sessions. The stream of a session is another thing and loses nothing. State owned by the event loop.
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
    public record Report(String type, String spawnId, @Nullable String sessionId, Map<String, @Nullable Object> data) {}

    private final Clock clock;
    private final String epoch = Ids.newEpoch();
    private final ArrayDeque<Event> window = new ArrayDeque<>();
    private final List<Runnable> followers = new ArrayList<>();
    private long characters;
    private long lastSeq;

    public HookEvents(Clock clock) {
        this.clock = clock;
    }

    /** Keeps an event and tells the followers. */
    public Event add(Report report) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("seq", ++lastSeq);
        map.put("ts", clock.nowMs());
        map.put("type", report.type());
        map.put("spawn_id", report.spawnId());
        String sessionId = report.sessionId();
        if (sessionId != null) {
            map.put("session_id", sessionId);
        }
        map.put("data", report.data());
        Event event = new Event(lastSeq, report.spawnId(), sessionId == null ? "" : sessionId, new String(Json.write(map), StandardCharsets.UTF_8));
        window.add(event);
        characters += event.json().length();
        while (window.size() > EVENTS_MAX || (characters > CHARACTERS_MAX && window.size() > 1)) {
            characters -= window.remove().json().length();
        }
        List.copyOf(followers).forEach(Runnable::run);
        return event;
    }

    /** Those after that number that are still there, of one session or spawn or of all, oldest first. */
    public List<Event> after(long seq, @Nullable String session, int limit) {
        return window.stream().filter(event -> event.seq() > seq)
                .filter(event -> session == null || session.equals(event.sessionId()) || session.equals(event.spawnId()))
                .limit(limit).toList();
    }

    /** The oldest that is still there; one more than the newest where nothing is. */
    public long firstSeq() {
        Event first = window.peek();
        return first == null ? lastSeq + 1 : first.seq();
    }

    public long lastSeq() {
        return lastSeq;
    }

    /** Changes when the gateway starts: numbers of another epoch mean nothing. */
    public String epoch() {
        return epoch;
    }

    /** Runs the follower after each event, until the returned handle is run. */
    public Runnable follow(Runnable follower) {
        followers.add(follower);
        return () -> followers.remove(follower);
    }
}
