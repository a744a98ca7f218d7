package brig.workeragent.worker;

import java.nio.file.Path;

/** The socket on which the gateway reads a worker's frames. */
public interface WorkerSocket extends AutoCloseable {
    /** Opens the sockets of workers. */
    interface Factory {
        /**
         * Listens for the gateway.
         *
         * @throws brig.protocol.BrigException {@code INTERNAL} if the host refuses
         */
        WorkerSocket open(Worker worker);
    }

    Path path();

    /** Closes the socket and its connections, and removes its file. */
    @Override
    void close();
}
