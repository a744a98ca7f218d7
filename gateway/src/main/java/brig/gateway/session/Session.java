package brig.gateway.session;

import brig.gateway.spawn.Spawn;
import brig.gateway.stream.FrameSink;
import brig.gateway.stream.StreamLog;
import brig.gateway.stream.Subscription;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Fields;
import brig.protocol.StreamPosition;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A spawn as those see it who talk to it: whose token it knows, what each role may do. All ways in end here. Owned by
 * the event loop.
 */
public final class Session {
    private final Spawn spawn;
    private final Sessions.Terminator terminator;

    Session(Spawn spawn, Sessions.Terminator terminator) {
        this.spawn = spawn;
        this.terminator = terminator;
    }

    /** Whose token that is. @throws BrigException {@code UNAUTHENTICATED}, which does not say what was wrong */
    public Role authenticate(String token) {
        if (spawn.isCaptainToken(token)) {
            return Role.CAPTAIN;
        }
        if (spawn.isWatcherToken(token)) {
            return Role.WATCHER;
        }
        throw new BrigException(ErrorCode.UNAUTHENTICATED, "the token is not one of this session");
    }

    /** Refuses readers of a spawn that has nothing to read yet. @throws BrigException {@code SESSION_NOT_READY}, {@code SESSION_ENDED} */
    public void requireAttachable() {
        if (!spawn.isAttachable()) {
            throw spawn.notReady();
        }
    }

    /**
     * The frame that a reader with that position gets next.
     *
     * @param position the last frame that it has; empty for none
     */
    public long resumePoint(Optional<StreamPosition> position) {
        StreamLog log = spawn.log();
        return position.filter(last -> last.epoch().equals(log.epoch()))
                .map(last -> log.resumePoint(last.seq() + 1))
                .orElse(1L);
    }

    /** Adds a reader; it gets its first frame when it is drained. @throws BrigException as {@link StreamLog#subscribe} */
    public Subscription subscribe(long fromSeq, boolean tethered, FrameSink sink) {
        return spawn.log().subscribe(fromSeq, tethered, sink);
    }

    /**
     * A message of a connection that has authenticated: {@code {"role":"user","content":…}} or {@code {"action":…}}.
     *
     * @return the line to answer with, null for none
     * @throws BrigException where it is refused; nothing was done then
     */
    public @Nullable Map<String, ?> handleMessage(Role role, Fields message) {
        String action = message.text("action");
        if ("ping".equals(action)) {
            return Map.of("type", "pong");
        }
        if (role != Role.CAPTAIN) {
            throw new BrigException(ErrorCode.FORBIDDEN, "a watcher only listens");
        }
        if (action == null) {
            handleUser(message);
            return null;
        }
        switch (action) {
            case "cancel" -> spawn.worker().cancel();
            case "terminate" -> terminator.terminate(spawn, "requested");
            default -> throw new BrigException(ErrorCode.UNKNOWN_ACTION, "unknown action '" + action
                    + "'; known are cancel, terminate and ping");
        }
        return null;
    }

    private void handleUser(Fields message) {
        if (!"user".equals(message.requiredText("role"))) {
            throw Fields.invalid("role", "must be \"user\"");
        }
        spawn.worker().input(message.requiredText("content"));
    }

    /** The line that a connection gets when it may read. */
    public Map<String, Object> welcome(Role role, long fromSeq) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("type", "authenticated");
        line.put("spawn_id", spawn.spawnId());
        line.put("task_id", spawn.taskId());
        line.put("role", role.wireName());
        line.put("epoch", spawn.log().epoch());
        line.put("from", fromSeq);
        line.put("state", spawn.state().wireName());
        return line;
    }

    public Spawn spawn() {
        return spawn;
    }
}
