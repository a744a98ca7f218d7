package brig.protocol.wire;

import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The {@code type} of a frame. Receivers ignore unknown types, represented by {@link #UNKNOWN}. */
public enum FrameType {
    /** The turn of a user message begins: {@code message_id}, {@code content}, {@code by}, {@code via}. */
    MESSAGE,
    /** A user message with an id was accepted, now or earlier: {@code message_id}. */
    ACCEPTED,
    /** A piece of output: {@code content}, {@code stream}. */
    CHUNK,
    /** A turn ended: {@code exit_code} or {@code signal}, {@code reason}. */
    DONE,
    /** An error: {@code error}, {@code code}. */
    ERROR,
    /** The spawn changed its state: {@code state}. The stream ends with state terminated. */
    STATE,
    /** A sub-agent appeared or changed. */
    SUBAGENT,
    /** A tool call. */
    TOOL,
    /** Tokens and cost. */
    USAGE,
    /** A budget is used up in part, or a request was refused because of it: {@code percent}. */
    BUDGET,
    /** A network request was refused, waits for a person, or reached a host for the first time: {@code kind}. */
    EGRESS,
    /** The agent's own session: {@code session_id}. */
    SESSION,
    /** The agent's plan. */
    PLAN,
    /** A permission that the agent asked for, and the answer of its profile. */
    PERMISSION,
    /** The agent waits for an answer of a person: {@code ask_id}, {@code title}, {@code options}, {@code deadline}. */
    ASK,
    /** An ask is settled: {@code ask_id}, {@code option}, {@code reason}. */
    ANSWERED,
    /** A line of the agent, unchanged. */
    RAW,
    /** The size of the agent's terminal from here on: {@code cols}, {@code rows}. */
    TTY,
    /** A checkpoint of the agent's terminal: {@code content} draws it anew. */
    SCREEN,
    /** What the agent on a terminal does: {@code activity}, {@code reason}. */
    ACTIVITY,
    /** A checkpoint of the workspace: {@code tree}, {@code cause}. */
    CHECKPOINT,
    /** The session begins as a fork of another one: {@code forked_from}, {@code conversation}. */
    FORKED,
    /** Frames {@code from} to {@code to} cannot be delivered on this connection: {@code reason}. Has no seq. */
    GAP,
    /** The connection may read and write now. Has no seq. */
    AUTHENTICATED,
    /** A type unknown to this version, which is passed on unchanged. */
    UNKNOWN;

    private static final Map<String, FrameType> BY_NAME = Stream.of(values())
            .filter(type -> type != UNKNOWN)
            .collect(Collectors.toMap(FrameType::wireName, Function.identity()));

    /** The value of {@code type} on the wire. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The type with that wire name; {@link #UNKNOWN} if there is none. */
    public static FrameType of(String wireName) {
        return BY_NAME.getOrDefault(wireName, UNKNOWN);
    }
}
