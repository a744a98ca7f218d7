package brig.gateway.host;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The local end of a link as a file, and in place of it where the host forbids forwarding. Answers come on the event loop. */
public interface LocalSockets {
    /** A listener that joins each connection to a program of its own. */
    interface Joint {
        /** Stops listening, and ends the programs. */
        void close();
    }

    /** Removes what an earlier link left there. */
    CompletionStage<Void> clear(Path socket);

    /**
     * Listens there, and joins each connection to the input and output of a program.
     *
     * @param connectionsMax one more is closed at once
     */
    CompletionStage<Joint> join(Path socket, List<String> command, int connectionsMax);
}
