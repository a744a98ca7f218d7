package brig.acp;

import brig.protocol.BrigException;
import brig.protocol.json.Fields;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Requests of the agent to the outside that wait for a person: the editor asks its user. Where another client was faster,
 * the question is withdrawn. Owned by the thread that reads the session, but for answers.
 */
final class Asks {
    private static final List<Map<String, String>> CHOICES = List.of(
            choice("once", "Allow once", "allow_once"),
            choice("allow", "Allow for this session", "allow_always"),
            choice("deny", "Deny", "reject_once"));

    /** What the editor is asked: the tool call that shows it, and the request. */
    private record Ask(Fields frame, @Nullable String call, long request) {}

    private final Conversation conversation;
    private final Executor threads;
    private final Map<String, Ask> open = new LinkedHashMap<>();

    Asks(Conversation conversation, Executor threads) {
        this.conversation = conversation;
        this.threads = threads;
    }

    private static Map<String, String> choice(String decision, String name, String kind) {
        return Map.of("optionId", decision, "name", name, "kind", kind);
    }

    /** @param live whether the user is asked now; otherwise {@link #askAgain} does where nobody has answered by then */
    void handle(Fields frame, boolean live) {
        String host = host(frame);
        switch (frame.text("kind", "")) {
            case "ask" -> {
                if (!open.containsKey(host)) {
                    open.put(host, live ? ask(host, frame) : new Ask(frame, null, 0));
                }
            }
            case "answered" -> {
                Ask ask = open.remove(host);
                if (ask != null && ask.call() != null) {
                    conversation.rpc().withdraw(ask.request());
                    conversation.update(Map.of(
                            "sessionUpdate",
                            "tool_call_update",
                            "toolCallId",
                            ask.call(),
                            "status",
                            frame.flag("allowed") ? "completed" : "failed"));
                }
            }
            default -> {}
        }
    }

    /** Asks what was asked before the editor came and still waits. */
    void askAgain(long nowMs) {
        open.entrySet().removeIf(entry -> deadlineMs(entry.getValue().frame()) <= nowMs);
        open.replaceAll((host, ask) -> ask.call() == null ? ask(host, ask.frame()) : ask);
    }

    private static long deadlineMs(Fields frame) {
        return frame.number("ts", 0, Long.MAX_VALUE, 0) + frame.number("deadlineMs", 0, Integer.MAX_VALUE, 0);
    }

    private Ask ask(String host, Fields frame) {
        String call = "brig-egress-" + frame.number("seq", 1, Long.MAX_VALUE, 1);
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("toolCallId", call);
        shown.put("title", "Reach " + host);
        shown.put("kind", "fetch");
        shown.put("status", "pending");
        shown.put("rawInput", Map.of("host", host, "method", frame.text("method", ""), "rule", frame.text("rule", "")));
        Map<String, Object> update = new LinkedHashMap<>(Map.of("sessionUpdate", "tool_call"));
        update.putAll(shown);
        conversation.update(update);
        long request = conversation
                .rpc()
                .request(
                        "session/request_permission",
                        Map.of("sessionId", conversation.id(), "toolCall", shown, "options", CHOICES),
                        result -> handleAnswer(host, result));
        return new Ask(frame, call, request);
    }

    /** Without a choice nobody has decided: the request waits on, for another client or its end. */
    private void handleAnswer(String host, Fields result) {
        String choice = result.object("outcome").text("optionId", "");
        if (CHOICES.stream().anyMatch(known -> choice.equals(known.get("optionId")))) {
            threads.execute(() -> decide(host, choice));
        }
    }

    private void decide(String host, String decision) {
        try {
            conversation
                    .gateway()
                    .request(Map.of(
                            "action", "egress", "id", conversation.spawnId(), "decision", decision, "host", host));
        } catch (BrigException refusal) {
            conversation.note("the answer for " + host + " was refused: " + refusal.getMessage());
        }
    }

    /** With its port: what is allowed is what was asked for, and no more. */
    private static String host(Fields frame) {
        String host = frame.text("host", "");
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + frame.number("port", 0, 65_535, 0);
    }
}
