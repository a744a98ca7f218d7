package brig.gateway.openai;

import brig.gateway.stream.FrameBatch;
import brig.gateway.stream.FrameSink;
import brig.gateway.stream.GapReason;
import brig.gateway.telemetry.Transport;
import brig.protocol.ErrorCode;
import brig.protocol.VisibleText;
import brig.protocol.egress.EgressEvent;
import brig.protocol.frame.Frame;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.frame.TokenUsage;
import brig.protocol.json.Json;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Converts one turn of a session to a model's answer. The agent's own words are the text; its reasoning, tools,
 * sub-agents and blocked requests are shown beside it. The first {@code done} ends it. If the client disconnects, the
 * turn still runs to its end. Owned by the event loop.
 */
public final class AnswerSink implements FrameSink {
    private final Predicate<Frame.Ask> calls;
    private final Consumer<End> ended;
    private final ToolNotes tools = new ToolNotes();
    private @Nullable Answer answer;
    private @Nullable ApiError error;
    private boolean over;

    /**
     * The outcome: the usage, a failure, or a call of the client's tool, which its next request answers.
     *
     * @param nextSeq the first frame after the call
     */
    public record End(
            Answer.Usage usage,
            @Nullable ApiError failure,
            @Nullable AskCall call,
            long nextSeq) {
        End(Answer.Usage usage, @Nullable ApiError failure) {
            this(usage, failure, null, 0);
        }
    }

    /**
     * @param calls whether an ask ends the answer, as a call of the client's tool
     * @param ended called once, when the answer is over; it is not ended yet
     */
    public AnswerSink(Answer answer, Predicate<Frame.Ask> calls, Consumer<End> ended) {
        this.answer = answer;
        this.calls = calls;
        this.ended = ended;
    }

    /** Nobody waits for the answer any longer. */
    public void abandon() {
        answer = null;
    }

    @Override
    public boolean isWritable() {
        return answer == null || answer.isWritable();
    }

    @Override
    public Transport transport() {
        return Transport.MODEL;
    }

    @Override
    public void write(FrameBatch batch) {
        ByteBuf lines = batch.lines();
        byte[] bytes = ByteBufUtil.getBytes(lines);
        lines.release();
        handleLines(bytes);
    }

    /** Processes whole frames, each with its newline. */
    void handleLines(byte[] bytes) {
        int start = 0;
        for (int i = 0; i < bytes.length && !over; i++) {
            if (bytes[i] == '\n') {
                NumberedFrame numbered = Json.read(bytes, start, i - start, NumberedFrame.class);
                handleFrame(numbered.frame(), numbered.seq());
                start = i + 1;
            }
        }
    }

    private void handleFrame(@Nullable Frame frame, long seq) {
        switch (frame) {
            case Frame.Chunk chunk -> handleChunk(chunk);
            case Frame.Tool tool -> think(tools.handle(tool));
            case Frame.SubAgent subAgent -> handleSubAgent(subAgent);
            case Frame.Egress egress -> handleEgress(egress.event());
            case Frame.Ask ask -> handleAsk(ask, seq);
            case Frame.Answered answered -> handleAnswered(answered);
            case Frame.Failure failure -> handleFailure(failure);
            case Frame.Done done -> handleDone(done);
            case Frame.State state -> {
                if (state.isTerminated()) {
                    end();
                }
            }
            case Frame.Message _,
                    Frame.Accepted _,
                    Frame.Usage _,
                    Frame.Budget _,
                    Frame.Session _,
                    Frame.Plan _,
                    Frame.Permission _,
                    Frame.Raw _,
                    Frame.Tty _,
                    Frame.Screen _,
                    Frame.Activity _,
                    Frame.Checkpoint _,
                    Frame.Forked _ -> {}
            case null -> {}
        }
    }

    private void handleChunk(Frame.Chunk chunk) {
        if (answer != null && chunk.isOwnWords()) {
            answer.text(chunk.content());
        } else {
            think(chunk.tool() == null ? chunk.content() : tools.handleOutput(chunk.tool(), chunk.content()));
        }
    }

    private void handleSubAgent(Frame.SubAgent subAgent) {
        if (subAgent.status() == Frame.SubAgent.Status.SPAWNED) {
            note("sub-agent " + orEmpty(subAgent.subagentType()) + ": " + orEmpty(subAgent.prompt()));
        }
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    private void handleEgress(@Nullable EgressEvent event) {
        switch (event) {
            case EgressEvent.Blocked blocked ->
                note("blocked: " + blocked.request().method() + " "
                        + blocked.request().host());
            case null, default -> {
                // Retried, not new, or told by an ask frame.
            }
        }
    }

    private void handleAsk(Frame.Ask ask, long seq) {
        if (answer != null && calls.test(ask)) {
            end(new End(Answer.Usage.UNKNOWN, null, new AskCall(ask), seq + 1));
        } else if (answer != null) {
            String who = ask.agent() == null ? "" : "sub-agent " + ask.agent() + " ";
            answer.waits("\n[" + VisibleText.of(who + "asks: " + ask.title())
                    + "; answer on Brig's page, or with: brig answer " + ask.askId() + " "
                    + VisibleText.of(ask.choices()) + "]\n");
        }
    }

    private void handleAnswered(Frame.Answered answered) {
        String given = answered.option() == null ? answered.text() : answered.option();
        note("answered: " + (given == null ? "no longer asked" : VisibleText.of(given)));
    }

    private void handleFailure(Frame.Failure failure) {
        if (failure.retrying() || failure.agent() != null) {
            note(failure.code() + ": " + failure.error());
        } else {
            long status = failure.status() == null ? 0 : failure.status();
            error = ApiError.ofAgent(failure.code(), failure.error(), (int) status);
        }
    }

    private void handleDone(Frame.Done done) {
        if (error != null && done.exitCode() != 0) {
            end(new End(Answer.Usage.UNKNOWN, error));
            return;
        }
        if (done.exitCode() != 0) {
            note("exit code " + done.exitCode());
        }
        TokenUsage used = done.usage();
        end(new End(
                used == null ? Answer.Usage.UNKNOWN : new Answer.Usage(used.inputTokens(), used.outputTokens()), null));
    }

    private void end(End end) {
        if (!over) {
            over = true;
            ended.accept(end);
        }
    }

    private void note(String text) {
        think("\n[" + text + "]\n");
    }

    private void think(String text) {
        if (answer != null && !text.isEmpty()) {
            answer.thought(text);
        }
    }

    @Override
    public void gap(long from, long to, GapReason reason) {
        note("frames " + from + " to " + to + " are lost: " + reason.wireName());
    }

    @Override
    public void notice(ErrorCode code, String message) {
        note(code + ": " + message);
    }

    @Override
    public void throttled(boolean throttled) {
        // A slow client knows that it is slow.
    }

    @Override
    public void flush() {
        // Each piece is sent as it is written.
    }

    @Override
    public void end() {
        end(new End(Answer.Usage.UNKNOWN, error != null ? error : ApiError.workerLost()));
    }
}
