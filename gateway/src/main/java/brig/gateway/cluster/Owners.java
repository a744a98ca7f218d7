package brig.gateway.cluster;

import brig.gateway.time.Clock;
import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks the owner of a host, wherever it is. While nobody is the owner, or it moves, the question waits, for as long as it
 * takes another gateway to take the host.
 *
 * <p>Owned by the event loop.
 */
final class Owners {
    private static final long PATIENCE_MS = 10_000;
    private static final long AGAIN_MS = 250;
    private static final int AGAIN_SECONDS = 2;

    private final Post post;
    private final Clock clock;
    private final Timers timers;
    private final Function<String, Optional<OwnerEntry>> ownerOf;
    /** Answers questions to this gateway. */
    private final Function<Question, CompletionStage<Reply>> self;

    private final String name;

    Owners(
            String name,
            Post post,
            Clock clock,
            Timers timers,
            Function<String, Optional<OwnerEntry>> ownerOf,
            Function<Question, CompletionStage<Reply>> self) {
        this.name = name;
        this.post = post;
        this.clock = clock;
        this.timers = timers;
        this.ownerOf = ownerOf;
        this.self = self;
    }

    /** The name of the gateway that owns a host, for people. */
    String nameOf(String host) {
        return ownerOf.apply(host).map(OwnerEntry::gateway).orElse("none now");
    }

    /** Answers what other gateways ask. */
    void serve() {
        post.serve(bytes -> {
            Question question;
            try {
                question = Json.read(bytes, Question.class);
            } catch (BrigException unreadable) {
                return CompletableFuture.completedFuture(Json.write(Reply.refused(unreadable)));
            }
            return self.apply(question).thenApply(Json::write);
        });
    }

    /** @return fails with {@code HOST_UNREACHABLE} if no owner is there, or with what the owner refuses */
    CompletionStage<JsonObject> ask(Question question) {
        CompletableFuture<JsonObject> answer = new CompletableFuture<>();
        ask(question, clock.nowMs() + PATIENCE_MS, answer);
        return answer;
    }

    private void ask(Question question, long deadlineMs, CompletableFuture<JsonObject> answer) {
        Optional<OwnerEntry> owner = ownerOf.apply(question.host());
        CompletableFuture<Reply> asked = owner.map(entry -> put(question, entry))
                .orElseGet(() -> CompletableFuture.completedFuture(Reply.MOVED));
        var _ = asked.whenComplete((reply, failure) -> {
            boolean absent = failure != null && Reason.cause(failure) instanceof Post.AbsentException;
            if (absent || (reply != null && reply.moved())) {
                askAgain(question, deadlineMs, answer);
            } else if (reply != null && reply.ok() != null) {
                answer.complete(reply.ok());
            } else if (reply != null && reply.refusal() != null) {
                answer.completeExceptionally(reply.refusal().toException());
            } else {
                answer.completeExceptionally(unanswered(question.host(), failure));
            }
        });
    }

    private CompletableFuture<Reply> put(Question question, OwnerEntry owner) {
        if (owner.gateway().equals(name)) {
            return self.apply(question).toCompletableFuture();
        }
        CompletableFuture<Reply> asked = post.ask(owner.gateway(), Json.write((Record) question))
                .thenApply(bytes -> Json.read(bytes, Reply.class))
                .toCompletableFuture();
        awaitAnswer(question, owner, asked);
        return asked;
    }

    /** From an owner that was killed none comes, which the next one makes known long before the time for answers is over. */
    private void awaitAnswer(Question question, OwnerEntry owner, CompletableFuture<Reply> asked) {
        timers.after(AGAIN_MS, () -> {
            long term = ownerOf.apply(question.host()).map(OwnerEntry::term).orElse(owner.term());
            if (term != owner.term()) {
                asked.completeExceptionally(new IllegalStateException("another gateway took the host"));
            } else if (!asked.isDone()) {
                awaitAnswer(question, owner, asked);
            }
        });
    }

    private void askAgain(Question question, long deadlineMs, CompletableFuture<JsonObject> answer) {
        if (clock.nowMs() + AGAIN_MS > deadlineMs) {
            answer.completeExceptionally(new BrigException(
                    ErrorCode.HOST_UNREACHABLE,
                    "no gateway owns host " + question.host() + "; 'brig cluster status' says who does",
                    AGAIN_SECONDS));
        } else {
            timers.after(AGAIN_MS, () -> ask(question, deadlineMs, answer));
        }
    }

    private static BrigException unanswered(String host, @Nullable Throwable failure) {
        return new BrigException(
                ErrorCode.HOST_UNREACHABLE,
                "the gateway that owns host " + host + " did not answer, and may have done it"
                        + (failure == null ? "" : ": " + Reason.cause(failure).getMessage()));
    }
}
