package brig.gateway.e2e;

import brig.gateway.e2e.Relay.From;
import brig.protocol.json.JsonObject;
import java.util.function.BiPredicate;

/** The steps of a spawn, in their order: what has happened last when a process is killed, and how that moment is held. */
enum Step {
    ASKED("asked, nothing on disk", recording("REQUESTED"), false, false),
    REQUESTED("requested is on disk", recording("SPAWNING"), false, false),
    SPAWNING("spawning is on disk, worker-agent not asked", before(From.GATEWAY, "op", "spawn"), false, false),
    ASKED_LATE("the same, and the request reaches it later", before(From.GATEWAY, "op", "spawn"), false, false),
    WORKER_ASKED("worker-agent asked", behind(From.GATEWAY, "op", "spawn"), false, false),
    STARTED(
            "worker started, gateway not told",
            new Held(null, (from, line) -> line.object("ok").has("workspace"), false),
            true,
            false),
    TOLD("gateway told, running not on disk", recording("RUNNING"), true, false),
    RUNNING("running is on disk, no frame yet", before(From.WORKER_AGENT, "type", "state"), true, false),
    FIRST_FRAMES(
            "first frames read, none acknowledged",
            new Held(null, (from, line) -> from == From.GATEWAY && line.has("ack"), false),
            true,
            false),
    ACKNOWLEDGED(
            "frames on disk and acknowledged",
            new Held(null, (from, line) -> from == From.GATEWAY && line.has("ack"), true),
            true,
            false),
    END_ASKED("end asked for, worker-agent not told", before(From.GATEWAY, "op", "terminate"), true, true),
    END_TOLD("worker-agent told to end it", behind(From.GATEWAY, "op", "terminate"), false, true),
    DONE("agent ended, done not passed on", before(From.WORKER_AGENT, "type", "done"), false, true),
    LAST_FRAME("last frame read, end not on disk", recording("TERMINATED"), false, true),
    END_RECORDED(
            "end is on disk, last frame not acknowledged",
            new Held(
                    null, (from, line) -> from == From.GATEWAY && line.has("ack") && line.number("ack", 0) >= 3, false),
            false,
            true);

    /**
     * How a step is held.
     *
     * @param recording the state whose record is kept from being written, null for none
     * @param line the line that is held, null for none
     * @param passed whether that line has been passed on
     */
    record Held(String recording, BiPredicate<From, JsonObject> line, boolean passed) {}

    final String says;

    @SuppressWarnings("ImmutableEnumChecker") // a function without state
    final Held held;
    /** Whether the agent's process is there to be killed, and not ending by itself. */
    final boolean hasAgent;
    /** Whether the captain asks for the end first. */
    final boolean ending;

    Step(String says, Held held, boolean hasAgent, boolean ending) {
        this.says = says;
        this.held = held;
        this.hasAgent = hasAgent;
        this.ending = ending;
    }

    private static Held recording(String state) {
        return new Held(state, null, false);
    }

    private static Held before(From who, String field, String value) {
        return new Held(null, is(who, field, value), false);
    }

    private static Held behind(From who, String field, String value) {
        return new Held(null, is(who, field, value), true);
    }

    private static BiPredicate<From, JsonObject> is(From who, String field, String value) {
        return (from, line) -> from == who && line.has(field) && value.equals(line.value(field));
    }
}
