package brig.gateway.joint;

import java.nio.file.Path;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** The local end of a link as a file, and in place of it where the host forbids forwarding. Answers come on the event loop. */
public interface LocalSockets {
    /** A listener whose connections share the input and output of one far end. */
    interface Joint {
        /** Stops listening, and ends the far end and all connections. */
        void close();
    }

    /** Removes what an earlier link left there. */
    CompletionStage<Void> clear(Path socket);

    /**
     * Listens there, and lets the far end join each connection to a socket there.
     *
     * @param far makes the far end
     * @param ended is told why the joint ended, unless it was closed
     */
    CompletionStage<Joint> join(Path socket, FarEnd.Opener far, Consumer<String> ended);
}
