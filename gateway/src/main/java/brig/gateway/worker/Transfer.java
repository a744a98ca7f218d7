package brig.gateway.worker;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.util.concurrent.CompletionStage;
import java.util.function.LongConsumer;

/** A transfer connection to a worker-agent. Whatever fails ends it. Owned by the event loop. */
public interface Transfer {
    /** Sends a line. */
    void send(Record line);

    /** The next line. Fails with a refusal, or with {@code WORKER_AGENT_UNAVAILABLE} if the connection is lost. */
    <A extends Record> CompletionStage<A> answer(Class<A> type);

    /**
     * Passes the next bytes on; completes when the other has all of them. Fails if this one ends before, or if nothing
     * moves for long.
     *
     * @param passed hears how many it has so far
     */
    CompletionStage<Void> pass(Transfer to, long bytes, LongConsumer passed);

    /**
     * Passes the next bytes on, and reads the answer of the other, which may refuse them before it has all. The caller
     * closes both.
     */
    default <A extends Record> CompletionStage<A> relay(Transfer to, long bytes, LongConsumer passed, Class<A> type) {
        CompletionStage<A> answer = to.answer(type);
        var _ = pass(to, bytes, passed).whenComplete((done, failure) -> {
            if (failure != null) {
                to.close(failure instanceof BrigException refusal ? refusal : over());
            }
        });
        return answer;
    }

    /** Why a connection is closed that has served its purpose. */
    static BrigException over() {
        return new BrigException(ErrorCode.INTERNAL, "the transfer is over");
    }

    /** Ends it. What is awaited fails with that reason. */
    void close(BrigException why);
}
