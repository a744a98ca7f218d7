package brig.formats.claude;

import brig.formats.adapter.Adapter.Context;
import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.Questions;
import brig.formats.adapter.SessionHandshake;
import brig.formats.adapter.ToolRequests;
import brig.formats.adapter.ToolRequests.ToolRequest;
import brig.formats.claude.ClaudeInput.Answer;
import brig.formats.claude.ClaudeInput.Behavior;
import brig.formats.claude.ClaudeInput.ControlRequest;
import brig.formats.claude.ClaudeInput.ControlResponse;
import brig.formats.claude.ClaudeInput.Request;
import brig.protocol.json.JsonObject;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Claude Code's control channel: requests in both directions. Every request is answered, as the agent waits for it, now
 * or when a person has decided. Thread-safe.
 */
final class ClaudeControl implements ClaudeMessages.Control {
    private static final String INITIALIZE = "brig-initialize";

    private final SessionHandshake opening;
    private final Predicate<Record> output;
    private final ToolRequests tools;
    private final Questions questions;
    private final AtomicInteger interrupts = new AtomicInteger();

    /**
     * @param opening completes when Claude Code has accepted the system prompt
     * @param output writes a {@link ClaudeInput}; false if the agent accepts no more input
     */
    ClaudeControl(AgentFrames frames, SessionHandshake opening, Predicate<Record> output, Context context) {
        this.opening = opening;
        this.output = output;
        this.tools = new ToolRequests(frames, context);
        this.questions = new Questions(frames, context);
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
            case ClaudeMessage.CanUseTool call
            when ClaudeQuestions.TOOL.equals(call.toolName()) && questions.areAsked() -> {
                questions.ask(
                        ClaudeQuestions.request(id, call),
                        answers -> write(new ControlResponse(
                                new Answer.Success(id, ClaudeQuestions.behavior(call.input(), answers)))));
                yield true;
            }
            case ClaudeMessage.CanUseTool call -> {
                tools.decide(
                        new ToolRequest(
                                id,
                                call.agentId(),
                                call.toolUseId(),
                                call.toolName(),
                                call.said(),
                                call.input(),
                                call.toolName()),
                        allowed -> write(new ControlResponse(new Answer.Success(id, behavior(call, allowed)))));
                yield true;
            }
            case null -> {
                write(new ControlResponse(new Answer.Failure(id, "not supported by this client")));
                yield false;
            }
        };
    }

    @Override
    public void withdraw(String requestId) {
        questions.withdraw(requestId);
    }

    private static Behavior behavior(ClaudeMessage.CanUseTool call, boolean allowed) {
        return allowed ? new Behavior.Allow(JsonObject.element(call.input())) : new Behavior.Deny("not allowed here");
    }

    private boolean write(Record line) {
        return output.test(line);
    }
}
