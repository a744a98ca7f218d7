package brig.egress.dns;

import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Resolves hosts. */
public interface NameSource {
    /** The addresses of that host, in order. Completes on any thread; fails if there are none. */
    CompletableFuture<List<InetAddress>> resolve(String host);
}
