package brig.workeragent.wall;

import brig.egress.link.WallSocket;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The sockets of one wall's network namespace, made by its process 1. All are closed by close(). */
public interface WallNetwork extends AutoCloseable {
    /** Descriptors of listening sockets by their role; owned by this object. */
    List<WallSocket> sockets();

    /** One more listening socket for connections to that port of any address. */
    CompletableFuture<WallSocket> listen(int port);

    /**
     * A connection to a server of the agent on 127.0.0.1:port: a connected, non-blocking descriptor that the
     * caller owns.
     */
    CompletableFuture<Integer> dial(int port);

    @Override
    void close();
}
