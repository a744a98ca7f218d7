package brig.workeragent.wall;

import brig.egress.link.WallSocket;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The sockets of one wall's network namespace, created by its process 1. close() closes them all. */
public interface WallNetwork extends AutoCloseable {
    /** Descriptors of listening sockets by their role; owned by this object. */
    List<WallSocket> sockets();

    /** The same, which then belong to the caller: {@link #close} leaves them open. */
    List<WallSocket> take();

    /** Opens one more listening socket for that port on any address. */
    CompletableFuture<WallSocket> listen(int port);

    @Override
    void close();
}
