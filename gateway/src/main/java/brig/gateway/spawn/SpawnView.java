package brig.gateway.spawn;

import brig.gateway.stream.StreamLog;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A spawn as lists and answers show it: {@code view} in PROTOCOL.md, section 4.1. Times in milliseconds since 1970.
 *
 * <p>Decision 0134.
 */
final class SpawnView {
    private SpawnView() {}

    static Map<String, @Nullable Object> of(Spawn spawn) {
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        view.put("spawn_id", spawn.spawnId());
        view.put("task_id", spawn.taskId());
        view.put("session_id", spawn.sessionId());
        if (spawn.origin().requestId() != null) {
            view.put("request_id", spawn.origin().requestId());
        }
        if (!spawn.origin().project().isEmpty()) {
            view.put("project", spawn.origin().project());
        }
        view.put("provider", spawn.origin().provider());
        view.put("agent", spawn.agent());
        view.put("state", spawn.state().wireName());
        view.put("activity", spawn.doing().wireName());
        if (spawn.log().isThrottled() && !spawn.state().isFinal()) {
            view.put("throttled", true);
        }
        view.put("workspace", spawn.workspace());
        view.put("captain", spawn.captain());
        putCourse(view, spawn);
        putStream(view, spawn.log());
        putFailure(view, spawn);
        return view;
    }

    private static void putCourse(Map<String, @Nullable Object> view, Spawn spawn) {
        view.put("created_ms", spawn.createdMs());
        if (spawn.hasRun()) {
            view.put("running_ms", spawn.runningMs());
        }
        if (spawn.state().isFinal()) {
            view.put("ended_ms", spawn.endedMs());
        }
        if (!spawn.exit().isEmpty()) {
            view.put("exit", spawn.exit());
        }
    }

    private static void putStream(Map<String, @Nullable Object> view, StreamLog log) {
        view.put("epoch", log.epoch());
        view.put("first_seq", log.firstSeq());
        view.put("last_seq", log.lastSeq());
        view.put("readers", log.readerCount());
    }

    private static void putFailure(Map<String, @Nullable Object> view, Spawn spawn) {
        if (spawn.lastError() != null) {
            view.put("last_error", spawn.lastError());
        }
        if (spawn.isGivenUp()) {
            view.put("provider_runtime_alive", spawn.binding().alive());
        }
    }
}
