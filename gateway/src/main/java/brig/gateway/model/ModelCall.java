package brig.gateway.model;

import brig.gateway.connection.Problem;
import brig.gateway.http.Call;
import brig.gateway.openai.Answer;
import brig.gateway.openai.AnswerHeader;
import brig.gateway.openai.ModelRequest;
import brig.protocol.BrigException;
import brig.protocol.Ids;
import brig.protocol.spawn.Budget;
import brig.protocol.spawn.SpawnRequest;
import io.vertx.core.http.HttpServerResponse;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client's model request, including its headers.
 *
 * @param asked the content of the request
 * @param form the form of the answer
 * @param apply what happens to changes in a worktree
 */
record ModelCall(Call call, ModelRequest asked, Form form, WorktreeChanges.Apply apply) {
    private static final String REPOSITORY = "brig-repository";
    private static final String APPLY = "brig-apply";
    private static final String BUDGET = "brig-budget";
    private static final String SESSION = "x-session-id";
    private static final int SESSION_CHARACTERS_MAX = 256;

    /** A form of the API, buffered or as events. */
    @FunctionalInterface
    interface Form {
        Answer answer(HttpServerResponse response, AnswerHeader head);
    }

    /** Read before the turn, although used at its end: an invalid value is refused at once. */
    static WorktreeChanges.Apply apply(Call call) {
        return WorktreeChanges.Apply.read(call.request().getHeader(APPLY));
    }

    boolean isInRepository() {
        return call.request().getHeader(REPOSITORY) != null;
    }

    /** The path of the repository for the agent's worktree; percent-encoded, since headers are ASCII. */
    @Nullable
    String repository() {
        String path = call.request().getHeader(REPOSITORY);
        if (path == null) {
            return null;
        }
        try {
            return URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw BrigException.invalid(REPOSITORY, "must be a path, with % as in a URL");
        }
    }

    /** What a new worker may use up. */
    SpawnRequest.Bounds bounds() {
        String budget = call.request().getHeader(BUDGET);
        return budget == null
                ? SpawnRequest.Bounds.NONE
                : new SpawnRequest.Bounds(null, 0, 0, Budget.parse(BUDGET, budget), null);
    }

    /** The task_id of a conversation's worker, derived from the client's id; unique per captain. */
    @Nullable
    String taskId() {
        String id = call.request().getHeader(SESSION);
        if (id == null || id.isEmpty()) {
            return null;
        }
        if (id.length() > SESSION_CHARACTERS_MAX) {
            throw BrigException.invalid(SESSION, "has more than " + SESSION_CHARACTERS_MAX + " characters");
        }
        return "chat-"
                + Ids.hashToken(call.access().captain() + "\n" + asked.agent() + "\n" + id)
                        .substring(0, 32);
    }

    /** Continues with the result; a failure, then or later, becomes the answer. */
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
