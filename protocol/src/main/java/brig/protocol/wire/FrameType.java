package brig.protocol.wire;

import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The {@code type} of a frame. Receivers ignore types that they do not know, which {@link #UNKNOWN} stands for. */
public enum FrameType {
    /** A user message is being worked off from here on: {@code message_id}, {@code content}, {@code by}, {@code via}. */
    MESSAGE,
    /** A user message that has a name is taken, or was taken before: {@code message_id}. */
    ACCEPTED,
    /** A piece of what the agent said: {@code content}, {@code stream}. */
    CHUNK,
    /** A message was worked off: {@code exit_code} or {@code signal}, {@code reason}. */
    DONE,
    /** Something failed: {@code error}, {@code code}. */
    ERROR,
    /** The spawn changed its state: {@code state}. The stream ends with state terminated. */
    STATE,
    /** A sub-agent appeared or changed. */
    SUBAGENT,
    /** A tool call. */
    TOOL,
    /** Tokens and cost. */
    USAGE,
    /** A request to the outside was refused, waits for a person, or reached a host for the first time: {@code kind}. */
    EGRESS,
    /** The agent's own session: {@code session_id}. */
    SESSION,
    /** What the agent means to do, step by step. */
    PLAN,
    /** The agent asked for a permission, and what it was told. */
    PERMISSION,
    /** A line of the agent as it wrote it. */
    RAW,
    /** Frames {@code from} to {@code to} cannot be delivered on this connection: {@code reason}. Has no seq. */
    GAP,
    /** The connection may read and write now. Has no seq. */
    AUTHENTICATED,
    /** A type that this version does not know; it is passed on as it is. */
    UNKNOWN;

    private static final Map<String, FrameType> BY_NAME = Stream.of(values())
            .filter(type -> type != UNKNOWN)
            .collect(Collectors.toMap(FrameType::wireName, Function.identity()));

    /** The value of {@code type} on the wire. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The type of that wire name; {@link #UNKNOWN} if this version has none. */
    public static FrameType of(String wireName) {
        return BY_NAME.getOrDefault(wireName, UNKNOWN);
    }
}
