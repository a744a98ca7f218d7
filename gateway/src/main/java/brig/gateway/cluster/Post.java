package brig.gateway.cluster;

import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Questions from one gateway to another. Calls return at once; results and questions come on the event loop. */
public interface Post {
    /**
     * Asks a gateway.
     *
     * @return its answer; fails with {@link AbsentException} if it certainly did not get the question
     */
    CompletionStage<byte[]> ask(String gateway, byte[] question);

    /** Answers what others ask this gateway. */
    void serve(Function<byte[], CompletionStage<byte[]>> answerer);

    /** Nobody of that name is there. */
    final class AbsentException extends RuntimeException {
        private static final long serialVersionUID = 1;

        public AbsentException(String gateway) {
            super("the gateway " + gateway + " is not there", null, false, false);
        }
    }
}
