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
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The content of a frame, without its number and time, which {@link NumberedFrame} has. PROTOCOL.md sections 2.1 and
 * 2.3 define the fields. Text too long for one frame comes in pieces to concatenate, all but the last with {@code
 * more}. {@code agent} is the {@code agent_id} of the sub-agent concerned; null is the agent itself. A worker-agent may
 * be newer than a reader: unknown fields are ignored.
 */
@Tagged("type")
@Extensible
public sealed interface Frame {
    /** The {@code source} of frames from brig-egress, which repeat what an adapter reports. */
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
            case Budget _ -> FrameType.BUDGET;
            case Egress _ -> FrameType.EGRESS;
            case Session _ -> FrameType.SESSION;
            case Plan _ -> FrameType.PLAN;
            case Permission _ -> FrameType.PERMISSION;
            case Ask _ -> FrameType.ASK;
            case Answered _ -> FrameType.ANSWERED;
            case Raw _ -> FrameType.RAW;
            case Tty _ -> FrameType.TTY;
            case Screen _ -> FrameType.SCREEN;
            case Activity _ -> FrameType.ACTIVITY;
            case Checkpoint _ -> FrameType.CHECKPOINT;
            case Forked _ -> FrameType.FORKED;
        };
    }

    /**
     * The turn of a user message begins.
     *
     * @param messageId the captain's id for it, or one with a dot that Brig assigned
     * @param by the captain that sent it; only in the last piece
     * @param via the interface it came by, such as {@code http}; only in the last piece
     */
    record Message(
            @NotEmpty String messageId,
            String content,
            @OmitEmpty boolean more,
            @Nullable String by,
            @Nullable String via)
            implements Frame {}

    /** A user message with an id was accepted, now or earlier. */
    record Accepted(String messageId) implements Frame {}

    /**
     * A piece of output of the agent, a tool or the agent's program.
     *
     * @param tool the id of the tool call that wrote it
     */
    record Chunk(@Nullable String agent, @Nullable String tool, Channel stream, String content) implements Frame {
        /** The channel of the output. */
        public enum Channel {
            STDOUT,
            STDERR,
            /** The agent's answer. */
            TEXT,
            /** The agent's reasoning. */
            THOUGHT,
            /** What the agent's terminal got. */
            TTY
        }

        /**
         * Whether it is the answer of the agent itself, not reasoning, output of a tool or of a sub-agent. Standard
         * output counts as the answer of a program without an adapter.
         */
        public boolean isOwnWords() {
            return agent == null && tool == null && (stream == Channel.TEXT || stream == Channel.STDOUT);
        }
    }

    /**
     * The end of a turn.
     *
     * @param exitCode of the agent's process, 128 plus the signal number if a signal ended it; for an agent with an
     *     adapter 0, or 1 if it gave up or was cancelled
     * @param signal the name of that signal, {@code SIGTERM}
     * @param reason why Brig ended the turn, or {@code failed}
     * @param usage the usage of the whole turn
     */
    record Done(
            @Name(value = "exit_code", old = "exitCode") @Range(max = Integer.MAX_VALUE)
            int exitCode,

            @Nullable String signal,
            @Nullable String reason,
            @Nullable TokenUsage usage)
            implements Frame {}

    /**
     * An error in the worker; the stream continues.
     *
     * @param error a sentence for a person
     * @param code such as {@code MODEL_ERROR}; a newer worker-agent may have others
     * @param messageId the refused message
     * @param status the HTTP status of the model's answer
     * @param retrying whether the agent retries the model request
     * @param attempt the number of the attempt, from 1
     * @param retryMs the delay before it, in milliseconds
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

        /** A refused message; null for one without an id. */
        public static Failure of(BrigException refusal, @Nullable String messageId) {
            return new Failure(
                    refusal.getMessage(), refusal.code().name(), null, messageId, null, false, null, null, null);
        }

        /** An error of a sub-agent, null for the agent itself, with the HTTP status of the model's answer if known. */
        public Failure(String error, String code, @Nullable String agent, @Nullable Long status) {
            this(error, code, agent, null, status, false, null, null, null);
        }

        /** A copy for a request that the agent retries; null for unknown values. */
        public Failure again(@Nullable Long itsAttempt, @Nullable Long ofAttempts, @Nullable Long afterMs) {
            return new Failure(error, code, agent, messageId, status, true, itsAttempt, ofAttempts, afterMs);
        }

        /** A copy with another sentence. */
        public Failure saying(String sentence) {
            return new Failure(sentence, code, agent, messageId, status, retrying, attempt, attemptsMax, retryMs);
        }
    }

    /**
     * The worker accepts messages ({@code running}), or this is the last frame of the stream ({@code terminated}).
     *
     * @param reason why the stream ended
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
     * A sub-agent appeared or changed. If derived from model requests ({@code source}), it has no depth, status or
     * background.
     *
     * @param source {@link #FROM_EGRESS}, or null
     * @param sessionId its own session, or the one that it is part of
     * @param parentId the sub-agent that started it; null for the agent itself
     * @param parentToolId the tool call that started it
     * @param prompt only in the first frame
     * @param depth 1 directly below the agent itself
     * @param status also null if a newer worker-agent has a status unknown to this version
     * @param background whether its parent continues meanwhile
     * @param summary its report to its parent
     * @param dropped how many such frames were dropped before it
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
        /** A report of brig-egress. */
        public static SubAgent readOff(
                String agentId, @Nullable String sessionId, @Nullable String parentId, long dropped) {
            return new SubAgent(
                    FROM_EGRESS, agentId, sessionId, parentId, null, null, null, null, null, null, null, null, dropped);
        }

        /** The status of a sub-agent. */
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
     * A tool call began or changed; updates contain only what is new.
     *
     * @param id the agent's own id for the call
     * @param name the tool, in the agent's words
     * @param kind the kind of operation: {@code execute}, {@code read}, …
     * @param title a one-line summary of this call
     * @param status null if a newer worker-agent has a status unknown to this version
     * @param input the arguments
     * @param output the complete result
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
        /** The progress of a tool call. */
        public enum Progress {
            /** The model is writing the arguments. */
            PENDING,
            RUNNING,
            COMPLETED,
            FAILED
        }
    }

    /**
     * Tokens used: from adapters since the last such frame; with a {@code source}, by one request to a model.
     *
     * @param source {@link #FROM_EGRESS}, or null
     * @param route the name of the model route
     * @param cachedInputTokens the part of the input tokens that was read from a cache
     * @param status the HTTP status of the model's answer
     * @param cost in US dollars: as the agent computes it; with a {@code source}, by the prices of brig-egress
     * @param dropped how many such frames were dropped before it
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
        /** A report of an adapter. */
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
     * An event about a network request of the agent.
     *
     * @param event null if this version does not know its kind
     * @param dropped how many such frames were dropped before it
     */
    record Egress(
            @Flat EgressEvent.@Nullable Shown event,
            @OmitEmpty long dropped) implements Frame {}

    /**
     * A budget is used up in part, or a request was refused because of it.
     *
     * @param use how much of it
     * @param dropped how many such frames were dropped before it
     */
    record Budget(
            @Flat(tagged = false) EgressEvent.Budget use,
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

    /** The agent's plan, which replaces the previous one. */
    record Plan(@Nullable String agent, List<Entry> entries) implements Frame {
        /** @param status {@code pending}, {@code in_progress}, {@code completed}, or another word of the agent's */
        @Extensible
        public record Entry(
                @Nullable String content, @Nullable String status) {}
    }

    /**
     * The agent waits for an answer. {@link Answered} follows, at the latest at the deadline.
     *
     * @param askId names it in every interface
     * @param kind null if a newer worker-agent has a kind unknown to this version
     * @param nativeId the agent's own id of the request
     * @param tool the tool call concerned
     * @param title one line that says what is asked
     * @param detail what to judge by, such as the arguments of the call; shortened if it is too long
     * @param options at least one
     * @param text whether a text may be the answer
     * @param deadline milliseconds since 1970
     * @param fallback the id of the option that is given at the deadline
     */
    record Ask(
            @NotEmpty String askId,
            @Nullable Kind kind,
            @Nullable String agent,
            @Nullable String nativeId,
            @Nullable String tool,
            String title,
            @Nullable Object detail,
            List<Option> options,
            @OmitEmpty boolean text,
            @Range(max = Limits.SEQ_MAX) long deadline,
            @Name("default") String fallback)
            implements Frame {
        /** What is asked for. */
        public enum Kind {
            /** To use a tool. */
            TOOL,
            /** To reach a host. */
            EGRESS,
            /** A question to a person. */
            QUESTION,
            /** To use up more than its budget. */
            SPEND,
            /** To sign in again at a vendor of models. */
            LOGIN
        }

        /**
         * A possible answer.
         *
         * @param id names it within the ask
         * @param name for people
         */
        @Extensible
        public record Option(
                @NotEmpty String id, String name, @Nullable String description) {
            public Option(String id, String name) {
                this(id, name, null);
            }
        }

        /** The answers that it takes, as arguments of {@code brig answer}. */
        public String choices() {
            String ids = options.stream().map(Option::id).collect(Collectors.joining("|"));
            return text ? ids + "|--text TEXT" : ids;
        }

        /** Whether it offers that option. */
        public boolean offers(String option) {
            return nameOf(option).isPresent();
        }

        /** The name of that option, for people; empty if it is not offered. */
        public Optional<String> nameOf(@Nullable String option) {
            return options.stream()
                    .filter(offered -> offered.id().equals(option))
                    .map(Option::name)
                    .findFirst();
        }
    }

    /**
     * An ask is settled.
     *
     * @param option the id of the option that was given; null if a text was, or if nobody waits for an answer any more
     * @param text the answer in the person's own words
     * @param by the captain that answered
     * @param via the interface it came by, such as {@code http}
     * @param reason null if a newer worker-agent has a reason unknown to this version
     */
    record Answered(
            @NotEmpty String askId,
            @Nullable String option,
            @Nullable String text,
            @Nullable String by,
            @Nullable String via,
            @Nullable Reason reason)
            implements Frame {
        /** An end without a person. */
        public Answered(String askId, @Nullable String option, Reason reason) {
            this(askId, option, null, null, null, reason);
        }

        /** Why it is settled. */
        public enum Reason {
            /** Somebody answered. */
            PERSON,
            /** The profile, its rules or an earlier answer for the whole session decide. */
            POLICY,
            /** Nobody answered in time. */
            DEADLINE,
            /** The agent no longer waits. */
            WITHDRAWN,
            /** The agent ended, or its turn was cancelled. */
            ENDED
        }
    }

    /**
     * The agent asked for a permission, and the answer it got at once.
     *
     * @param tool the tool call concerned
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
        /** The decision of the profile. */
        public enum Decision {
            ALLOW,
            DENY
        }
    }

    /**
     * A line of the agent, unchanged.
     *
     * @param malformed whether it is not JSON, although the agent writes JSON
     */
    record Raw(
            String line, @OmitEmpty boolean more, @OmitEmpty boolean malformed) implements Frame {}

    /** The size of the agent's terminal from here on. */
    record Tty(int cols, int rows) implements Frame {}

    /**
     * A checkpoint of the agent's terminal, for who begins to read here. Others need it not.
     *
     * @param content what draws the whole terminal on a new one of that size
     */
    record Screen(
            int cols, int rows, String content, @OmitEmpty boolean more) implements Frame {}

    /**
     * What an agent on a terminal does from here on, as it says itself.
     *
     * @param activity null if a newer worker-agent has an activity unknown to this version
     * @param reason why it waits, in its own words
     */
    record Activity(@Nullable Doing activity, @Nullable String reason) implements Frame {
        /** What an agent does. */
        public enum Doing {
            /** It waits for what a person wants next. */
            IDLE,
            WORKING,
            /** It waits for a person's answer on its terminal. */
            WAITING
        }
    }

    /**
     * A checkpoint of the workspace, which has the number of this frame.
     *
     * @param tree git's name for the files that it holds
     * @param cause null if a newer worker-agent has a cause unknown to this version
     * @param restored the checkpoint that the workspace then became; null for none
     * @param bytes what it added to the files that Brig keeps
     */
    record Checkpoint(
            @NotEmpty String tree,
            @Nullable Cause cause,
            @Range(max = Limits.SEQ_MAX) @Nullable Long restored,
            @Range(max = Limits.SEQ_MAX) long bytes)
            implements Frame {
        /** Why a checkpoint was taken. */
        public enum Cause {
            /** The workspace is as it was made. No frame tells of it. */
            BEGINNING,
            /** A client asked for it. */
            ASKED,
            /** The agent was about to get a message. */
            MESSAGE,
            /** The workspace was about to become that of another checkpoint. */
            RESTORE
        }
    }

    /**
     * The session begins as a fork of another one.
     *
     * @param forkedFrom where it begins
     * @param conversation what its agent knows of that session; null if a newer worker-agent has one unknown to this
     *     version
     * @param summary what its agent is told before its first message; null for nothing
     */
    record Forked(
            ForkedFrom forkedFrom,
            @Nullable Conversation conversation,
            @Nullable String summary) implements Frame {
        /** What the agent of a fork knows of the session before. */
        public enum Conversation {
            /** All of it: it has a copy of that conversation. */
            AGENT,
            /** What Brig tells it in a summary. */
            SUMMARY,
            /** Nothing. */
            NONE
        }
    }
}
