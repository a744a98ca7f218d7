package brig.gateway.nats;

import brig.gateway.cluster.Post;
import io.nats.client.Connection;
import io.nats.client.JetStreamStatusException;
import io.nats.client.Message;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Request and reply on a subject for each gateway. */
final class NatsPost implements Post {
    private static final Logger logger = LoggerFactory.getLogger(NatsPost.class);
    /** Longer than a worker-agent may take. */
    private static final Duration ANSWER_MAX = Duration.ofSeconds(40);

    private static final int NOBODY = 503;

    private final Connection connection;
    private final String gateway;
    private final Work work;

    NatsPost(Connection connection, String gateway, Work work) {
        this.connection = connection;
        this.gateway = gateway;
        this.work = work;
    }

    private static String subject(String gateway) {
        return "brig.ctl." + gateway;
    }

    @Override
    public CompletionStage<byte[]> ask(String other, byte[] question) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        CompletableFuture<Message> asked;
        try {
            asked = connection.requestWithTimeout(subject(other), question, ANSWER_MAX);
        } catch (RuntimeException notSent) {
            return CompletableFuture.failedFuture(notSent);
        }
        var _ = asked.whenComplete((message, failure) -> work.loop().execute(() -> {
            if (failure == null) {
                answer.complete(message.getData());
            } else {
                answer.completeExceptionally(isAbsent(failure) ? new AbsentException(other) : failure);
            }
        }));
        return answer;
    }

    private static boolean isAbsent(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && !(cause instanceof JetStreamStatusException)) {
            cause = cause.getCause();
        }
        return cause instanceof JetStreamStatusException status
                && status.getStatus().getCode() == NOBODY;
    }

    @Override
    public void serve(Function<byte[], CompletionStage<byte[]>> answerer) {
        connection
                .createDispatcher(question -> work.loop()
                        .execute(() -> answerer.apply(question.getData()).whenComplete((answer, failure) -> {
                            if (failure == null) {
                                reply(question.getReplyTo(), answer);
                            } else {
                                logger.error("a question of another gateway is not answered: {}", failure.toString());
                            }
                        })))
                .subscribe(subject(gateway));
    }

    private void reply(String to, byte[] answer) {
        try {
            connection.publish(to, answer);
        } catch (RuntimeException e) {
            logger.warn("an answer to another gateway is not sent: {}", e.toString());
        }
    }
}
