package brig.gateway.model;

import brig.gateway.connection.Problem;
import brig.gateway.http.Call;
import brig.gateway.openai.Answer;
import brig.gateway.openai.AnswerHeader;
import brig.gateway.openai.ModelRequest;
import brig.protocol.Ids;
import brig.protocol.json.Fields;
import io.vertx.core.http.HttpServerResponse;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request of a client, with what its headers say.
 *
 * @param asked what the agent is to do
 * @param form how the answer is wanted
 * @param apply what becomes of changes in a worktree
 */
record ModelCall(Call call, ModelRequest asked, Form form, WorktreeChanges.Apply apply) {
    private static final String REPOSITORY = "brig-repository";
    private static final String APPLY = "brig-apply";
    private static final String SESSION = "x-session-id";
    private static final int SESSION_CHARACTERS_MAX = 256;

    /** A form of the API, whole or as events. */
    @FunctionalInterface
    interface Form {
        Answer answer(HttpServerResponse response, AnswerHeader head);
    }

    /** Read before the turn, at whose end it counts: a wrong one is refused at once. */
    static WorktreeChanges.Apply apply(Call call) {
        return WorktreeChanges.Apply.read(call.request().getHeader(APPLY));
    }

    boolean isInRepository() {
        return call.request().getHeader(REPOSITORY) != null;
    }

    /** The path of the repository whose worktree the agent is to work in; headers are ASCII, and a path may be more. */
    @Nullable
    String repository() {
        String path = call.request().getHeader(REPOSITORY);
        if (path == null) {
            return null;
        }
        try {
            return URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw Fields.invalid(REPOSITORY, "must be a path, with % as in a URL");
        }
    }

    /** The name of a talk's worker, made of the client's own id of the talk, which counts for that captain only. */
    @Nullable
    String taskId() {
        String id = call.request().getHeader(SESSION);
        if (id == null || id.isEmpty()) {
            return null;
        }
        if (id.length() > SESSION_CHARACTERS_MAX) {
            throw Fields.invalid(SESSION, "has more than " + SESSION_CHARACTERS_MAX + " characters");
        }
        return "chat-"
                + Ids.hashToken(call.access().captain() + "\n" + asked.agent() + "\n" + id)
                        .substring(0, 32);
    }

    /** Goes on as soon as something is there; a failure, then or later, is the answer. */
    <T> void then(CompletionStage<T> awaited, Consumer<T> next) {
        awaited.whenComplete((found, failure) -> {
            if (failure == null) {
                call.guard(() -> next.accept(found));
            } else {
                call.refuse(Problem.refusal(failure));
            }
        });
    }
}
