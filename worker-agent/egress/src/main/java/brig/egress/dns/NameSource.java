package brig.egress.dns;

import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Finds the addresses of hosts. */
public interface NameSource {
    /** The addresses of that host, in order; completes on any thread, exceptionally where there are none. */
    CompletableFuture<List<InetAddress>> resolve(String host);
}
