package brig.protocol.frame;

import brig.protocol.BrigException;
import brig.protocol.Limits;
import brig.protocol.egress.EgressEvent;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.Name;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Range;
import brig.protocol.record.Tagged;
import brig.protocol.wire.FrameType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a frame of a stream says, without its number and time, which {@link NumberedFrame} has. PROTOCOL.md sections 2.1
 * and 2.3 say what each field means. Text that is too long for one frame comes in pieces to concatenate, all but the last
 * with {@code more}. An {@code agent} is the sub-agent that a frame is about, by its {@code agent_id}; null is the agent
 * itself. A worker-agent may be newer than a reader: fields that the reader does not know are ignored.
 */
@Tagged("type")
@Extensible
public sealed interface Frame {
    /** What a frame says that comes from brig-egress and repeats in its own words what an adapter tells. */
    String FROM_EGRESS = "egress";

    /** The {@code type} on the wire. */
    default FrameType type() {
        return switch (this) {
            case Message _ -> FrameType.MESSAGE;
            case Accepted _ -> FrameType.ACCEPTED;
            case Chunk _ -> FrameType.CHUNK;
            case Done _ -> FrameType.DONE;
            case Failure _ -> FrameType.ERROR;
            case State _ -> FrameType.STATE;
            case SubAgent _ -> FrameType.SUBAGENT;
            case Tool _ -> FrameType.TOOL;
            case Usage _ -> FrameType.USAGE;
            case Egress _ -> FrameType.EGRESS;
            case Session _ -> FrameType.SESSION;
            case Plan _ -> FrameType.PLAN;
            case Permission _ -> FrameType.PERMISSION;
            case Raw _ -> FrameType.RAW;
        };
    }

    /**
     * The turn of a user message begins.
     *
     * @param messageId the captain's name for it, or one with a dot that Brig gave
     * @param by the captain that sent it; only in the last piece
     * @param via how it came, such as {@code http}; only in the last piece
     */
    record Message(
            @NotEmpty String messageId,
            String content,
            @OmitEmpty boolean more,
            @Nullable String by,
            @Nullable String via)
            implements Frame {}

    /** A user message that has a name is taken, or was taken before. */
    record Accepted(String messageId) implements Frame {}

    /**
     * A piece of what the agent, a tool or the agent's program wrote.
     *
     * @param tool the id of the tool call that wrote this
     */
    record Chunk(@Nullable String agent, @Nullable String tool, Channel stream, String content) implements Frame {
        /** Where it was written. */
        public enum Channel {
            STDOUT,
            STDERR,
            /** What the agent says. */
            TEXT,
            /** What it thinks aloud. */
            THOUGHT
        }

        /**
         * Whether it is what the agent itself says: no thought, no word of a sub-agent, no output of a tool. A program that
         * is no known agent says it on its standard output.
         */
        public boolean isOwnWords() {
            return agent == null && tool == null && (stream == Channel.TEXT || stream == Channel.STDOUT);
        }
    }

    /**
     * The end of a turn.
     *
     * @param exitCode of the agent's process: 128 and the signal's number where a signal ended it; of an agent with a
     *     format of its own 0, or 1 where it gave up or was cancelled
     * @param signal the name of that signal, {@code SIGTERM}
     * @param reason why Brig ended the turn, or {@code failed}
     * @param usage what the whole turn cost
     */
    record Done(
            @Name(value = "exit_code", old = "exitCode") @Range(max = Integer.MAX_VALUE)
            int exitCode,

            @Nullable String signal,
            @Nullable String reason,
            @Nullable TokenUsage usage)
            implements Frame {}

    /**
     * Something failed in the worker; the stream continues.
     *
     * @param error a sentence for a person
     * @param code such as {@code MODEL_ERROR}; a newer worker-agent may have codes that this version does not know
     * @param messageId the message that was refused
     * @param status the HTTP status of the model's answer
     * @param retrying whether the agent asks the model again
     * @param attempt the how manieth, from 1
     * @param retryMs how long the agent waits before, in milliseconds
     */
    @Name("error")
    record Failure(
            @NotEmpty String error,
            @NotEmpty String code,
            @Nullable String agent,
            @Nullable String messageId,
            @Nullable Long status,
            @OmitEmpty boolean retrying,
            @Nullable Long attempt,
            @Nullable Long attemptsMax,
            @Nullable Long retryMs)
            implements Frame {
        public Failure(String error, String code) {
            this(error, code, null, null, null, false, null, null, null);
        }

        /** A message was refused; null for one without a name. */
        public static Failure of(BrigException refusal, @Nullable String messageId) {
            return new Failure(
                    refusal.getMessage(), refusal.code().name(), null, messageId, null, false, null, null, null);
        }

        /** The same of a sub-agent, null for the agent itself, with the HTTP status of the model's answer where it is known. */
        public Failure(String error, String code, @Nullable String agent, @Nullable Long status) {
            this(error, code, agent, null, status, false, null, null, null);
        }

        /** The same where the agent asks the model again; null for what it does not say of that. */
        public Failure again(@Nullable Long itsAttempt, @Nullable Long ofAttempts, @Nullable Long afterMs) {
            return new Failure(error, code, agent, messageId, status, true, itsAttempt, ofAttempts, afterMs);
        }

        /** The same in other words. */
        public Failure saying(String sentence) {
            return new Failure(sentence, code, agent, messageId, status, retrying, attempt, attemptsMax, retryMs);
        }
    }

    /**
     * The worker accepts messages ({@code running}), or this is the last frame of the stream ({@code terminated}).
     *
     * @param reason why it is the last
     */
    record State(String state, @Nullable String reason) implements Frame {
        public static final String RUNNING = "running";
        public static final String TERMINATED = "terminated";

        public boolean isRunning() {
            return state.equals(RUNNING);
        }

        public boolean isTerminated() {
            return state.equals(TERMINATED);
        }
    }

    /**
     * A sub-agent appeared or changed. Read off requests to a model ({@code source}), it has no depth, status or
     * background.
     *
     * @param source {@link #FROM_EGRESS}, or null
     * @param sessionId the session that it has, or that it is part of
     * @param parentId the sub-agent that started it; null for the agent itself
     * @param parentToolId the tool call that started it
     * @param prompt only in the first frame
     * @param depth 1 for one that the agent itself started
     * @param status null also where a newer worker-agent has a word that this version does not know
     * @param background whether its parent goes on meanwhile
     * @param summary what it reported to its parent
     * @param dropped how many frames like this were left out before it
     */
    @Name("subagent")
    record SubAgent(
            @Nullable String source,
            @NotEmpty String agentId,
            @Nullable String sessionId,
            @Nullable String parentId,
            @Nullable String parentToolId,
            @Nullable String prompt,
            @Nullable String subagentType,
            @Nullable Long depth,
            @Nullable Status status,
            @Nullable Boolean background,
            @Nullable String summary,
            @Nullable String error,
            @OmitEmpty long dropped)
            implements Frame {
        /** Of brig-egress. */
        public static SubAgent readOff(
                String agentId, @Nullable String sessionId, @Nullable String parentId, long dropped) {
            return new SubAgent(
                    FROM_EGRESS, agentId, sessionId, parentId, null, null, null, null, null, null, null, null, dropped);
        }

        /** How it fares. */
        public enum Status {
            SPAWNED,
            RUNNING,
            COMPLETED,
            FAILED,
            KILLED;

            public boolean lives() {
                return this == SPAWNED || this == RUNNING;
            }
        }
    }

    /**
     * A tool call began or changed; of a call that was told before, only what is new.
     *
     * @param id the agent's own
     * @param name the tool's, in the agent's words
     * @param kind what sort of thing it does: {@code execute}, {@code read}, …
     * @param title what it does in this call, a line
     * @param status null where a newer worker-agent has a word that this version does not know
     * @param input the arguments
     * @param output all that it returned
     */
    record Tool(
            String id,
            @Nullable String agent,
            @Nullable String name,
            @Nullable String kind,
            @Nullable String title,
            @Nullable Progress status,
            @Nullable Object input,
            @Nullable String output,
            @OmitEmpty boolean more)
            implements Frame {
        /** How far it is. */
        public enum Progress {
            /** The model writes its arguments. */
            PENDING,
            RUNNING,
            COMPLETED,
            FAILED
        }
    }

    /**
     * Tokens used: by adapters since the last such frame; read off one request to a model where it has a {@code source}.
     *
     * @param source {@link #FROM_EGRESS}, or null
     * @param route the name of the model route
     * @param cachedInputTokens of the input tokens, those that were read from a cache
     * @param status the HTTP status of the model's answer
     * @param cost in US dollars, as the agent reckons it
     * @param dropped how many frames like this were left out before it
     */
    record Usage(
            @Nullable String source,
            @Nullable String agent,
            @Nullable String route,
            @Nullable String model,
            @Range(max = Limits.SEQ_MAX) @Nullable Long inputTokens,
            @Range(max = Limits.SEQ_MAX) @Nullable Long outputTokens,
            @Range(max = Limits.SEQ_MAX) @Nullable Long cachedInputTokens,
            @Range(max = Limits.SEQ_MAX) @Nullable Long cacheWriteInputTokens,
            @Nullable Long status,
            @Nullable Double cost,
            @OmitEmpty long dropped)
            implements Frame {
        /** Of an adapter. */
        public static Usage of(@Nullable String agent, TokenUsage used) {
            return new Usage(
                    null,
                    agent,
                    null,
                    null,
                    used.inputTokens(),
                    used.outputTokens(),
                    used.cachedInputTokens() == 0 ? null : used.cachedInputTokens(),
                    null,
                    null,
                    used.cost(),
                    0);
        }
    }

    /**
     * What happened to a network request of the agent.
     *
     * @param event null where its kind is none of this version
     * @param dropped how many frames like this were left out before it
     */
    record Egress(
            @Flat EgressEvent.@Nullable Shown event,
            @OmitEmpty long dropped) implements Frame {}

    /**
     * The agent's own session.
     *
     * @param agent the agent's program
     */
    record Session(
            @NotEmpty String sessionId,
            @Nullable String agent,
            @Nullable String agentVersion,
            @Nullable String model) implements Frame {}

    /** What the agent means to do, step by step; it replaces the plan before. */
    record Plan(@Nullable String agent, List<Entry> entries) implements Frame {
        /** @param status {@code pending}, {@code in_progress}, {@code completed}, or another word of the agent's */
        @Extensible
        public record Entry(
                @Nullable String content, @Nullable String status) {}
    }

    /**
     * The agent asked for a permission, and what it was told.
     *
     * @param tool the tool call that it is for
     * @param name of the tool, or of the question
     * @param input the arguments of the call
     */
    record Permission(
            String id,
            @Nullable String agent,
            @Nullable String tool,
            @Nullable String name,
            @Nullable Object input,
            @Nullable Decision decision)
            implements Frame {
        /** What the profile says. */
        public enum Decision {
            ALLOW,
            DENY
        }
    }

    /**
     * A line of the agent as it wrote it.
     *
     * @param malformed whether it is no JSON, although the agent writes JSON
     */
    record Raw(
            String line, @OmitEmpty boolean more, @OmitEmpty boolean malformed) implements Frame {}
}
