package brig.egress.dns;

import brig.protocol.address.HostNames;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Resolves names as this host does; addresses in the configuration take precedence. Thread-safe. */
public final class HostResolver implements NameSource {
    private static final int AT_ONCE_MAX = 128;

    private final Map<String, List<InetAddress>> fixed;
    private final Executor threads;
    private final long resolveMs;
    private final Semaphore places = new Semaphore(AT_ONCE_MAX);

    /** @param threads runs blocking lookups */
    public HostResolver(Map<String, List<InetAddress>> fixed, Executor threads, long resolveMs) {
        this.fixed = Map.copyOf(fixed);
        this.threads = threads;
        this.resolveMs = resolveMs;
    }

    @Override
    public CompletableFuture<List<InetAddress>> resolve(String host) {
        InetAddress literal = HostNames.literal(host);
        if (literal != null) {
            return CompletableFuture.completedFuture(List.of(literal));
        }
        List<InetAddress> known = fixed.get(host);
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        if (!places.tryAcquire()) {
            return CompletableFuture.failedFuture(new UnknownHostException("too many names at once"));
        }
        CompletableFuture<List<InetAddress>> found = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                found.complete(List.of(InetAddress.getAllByName(host + ".")));
            } catch (UnknownHostException e) {
                look(host, found);
            } finally {
                places.release();
            }
        });
        return found.orTimeout(resolveMs, TimeUnit.MILLISECONDS);
    }

    /** Hosts files have no names that end in a dot. */
    private static void look(String host, CompletableFuture<List<InetAddress>> found) {
        try {
            found.complete(List.of(InetAddress.getAllByName(host)));
        } catch (UnknownHostException e) {
            found.completeExceptionally(e);
        }
    }
}
