package brig.gateway.host;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** The local end of a link as a file, and in place of it where the host forbids forwarding. Answers come on the event loop. */
public interface LocalSockets {
    /** A listener whose connections share the input and output of one program. */
    interface Joint {
        /** Stops listening, and ends the program and all connections. */
        void close();
    }

    /** Removes what an earlier link left there. */
    CompletionStage<Void> clear(Path socket);

    /**
     * Listens there, and lets a program of the host join each connection to a socket there.
     *
     * @param command the far end of the joint
     * @param ended is told why the joint ended, unless it was closed
     */
    CompletionStage<Joint> join(Path socket, List<String> command, Consumer<String> ended);
}
