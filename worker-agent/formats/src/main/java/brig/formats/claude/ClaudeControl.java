package brig.formats.claude;

import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.SessionHandshake;
import brig.formats.claude.ClaudeInput.Answer;
import brig.formats.claude.ClaudeInput.Behavior;
import brig.formats.claude.ClaudeInput.ControlRequest;
import brig.formats.claude.ClaudeInput.ControlResponse;
import brig.formats.claude.ClaudeInput.Request;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Permission.Decision;
import brig.protocol.json.JsonObject;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Claude Code's control channel: requests in both directions. The profile decides about permissions, and the wall, not
 * the agent, limits what a tool can do. Every request is answered, as the agent waits for it. Thread-safe.
 */
final class ClaudeControl implements ClaudeMessages.Control {
    private static final String INITIALIZE = "brig-initialize";

    private final AgentFrames frames;
    private final SessionHandshake opening;
    private final Predicate<Record> output;
    private final boolean allow;
    private final AtomicInteger interrupts = new AtomicInteger();

    /**
     * @param opening completes when Claude Code has accepted the system prompt
     * @param output writes a {@link ClaudeInput}; false if the agent accepts no more input
     */
    ClaudeControl(AgentFrames frames, SessionHandshake opening, Predicate<Record> output, boolean allow) {
        this.frames = frames;
        this.opening = opening;
        this.output = output;
        this.allow = allow;
    }

    void initialize(String systemPrompt) {
        write(new ControlRequest(INITIALIZE, new Request.Initialize(systemPrompt)));
    }

    boolean interrupt() {
        return write(new ControlRequest("brig-" + interrupts.incrementAndGet(), new Request.Interrupt()));
    }

    /** Handles the answer to the first request; others are ignored. */
    @Override
    public void handleAnswer(ClaudeMessage.Answer answer) throws InterruptedException {
        if (answer.requestId().equals(INITIALIZE)) {
            if (answer.outcome() instanceof ClaudeMessage.Failure failure) {
                opening.fail("the agent did not take the system prompt: " + failure.error());
            } else {
                opening.complete("");
            }
        }
    }

    /** Answers a request; unknown kinds are refused. */
    @Override
    public boolean answer(ClaudeMessage.ControlRequest question) throws InterruptedException {
        String id = question.requestId();
        return switch (question.request()) {
            case ClaudeMessage.CanUseTool call -> {
                frames.put(new Frame.Permission(
                        id,
                        call.agentId(),
                        call.toolUseId(),
                        call.toolName(),
                        call.input(),
                        allow ? Decision.ALLOW : Decision.DENY));
                Behavior behavior = allow
                        ? new Behavior.Allow(JsonObject.element(call.input()))
                        : new Behavior.Deny("not allowed here");
                write(new ControlResponse(new Answer.Success(id, behavior)));
                yield true;
            }
            case null -> {
                write(new ControlResponse(new Answer.Failure(id, "not supported by this client")));
                yield false;
            }
        };
    }

    private boolean write(Record line) {
        return output.test(line);
    }
}
