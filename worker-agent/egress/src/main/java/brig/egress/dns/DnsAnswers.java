package brig.egress.dns;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Answers the DNS queries of one wall. State owned by its event loop {@code loop}. */
public final class DnsAnswers {
    /** The source of real addresses. */
    public interface Outside {
        CompletableFuture<List<InetAddress>> resolve(String name);

        /** The answer; null if none came. */
        CompletableFuture<byte @Nullable []> ask(byte[] question);
    }

    /** A name keeps its address for the life of the wall. */
    private static final int SYNTHETIC_TTL_SECONDS = 3600;

    private static final int REAL_TTL_SECONDS = 60;
    private static final byte[] LOOPBACK = {127, 0, 0, 1};
    private static final int ADDRESSES_MAX = 8;

    private final WallNames names;
    private final Outside outside;
    private final Executor loop;

    public DnsAnswers(WallNames names, Outside outside, Executor loop) {
        this.names = names;
        this.outside = outside;
        this.loop = loop;
    }

    /**
     * The answer; null if the query gets none. Completes on the loop.
     *
     * @param resolves whether a name gets its real addresses
     * @param open whether queries for other records go to the host's name servers
     */
    public CompletableFuture<byte @Nullable []> answer(byte[] message, Predicate<String> resolves, boolean open) {
        DnsQuery query = DnsQuery.parse(message);
        if (query == null) {
            return CompletableFuture.completedFuture(null);
        }
        String name = query.name();
        if (name == null) {
            return now(query.answer(DnsQuery.NO_SUCH_NAME, List.of(), SYNTHETIC_TTL_SECONDS));
        }
        boolean address = query.type() == DnsQuery.TYPE_A || query.type() == DnsQuery.TYPE_AAAA;
        if (open && !address) {
            return outside.ask(message)
                    .thenApplyAsync(
                            answer -> answer == null ? query.answer(DnsQuery.SERVER_FAILURE, List.of(), 0) : answer,
                            loop);
        }
        if (query.type() != DnsQuery.TYPE_A) {
            // The wall has no IPv6 route; Brig knows no other records.
            return now(query.answer(DnsQuery.NO_ERROR, List.of(), SYNTHETIC_TTL_SECONDS));
        }
        if (name.equals("localhost") || name.endsWith(".localhost")) {
            return now(query.answer(DnsQuery.NO_ERROR, List.of(LOOPBACK), SYNTHETIC_TTL_SECONDS));
        }
        return resolves.test(name) ? real(query, name) : now(synthetic(query, name));
    }

    private static CompletableFuture<byte @Nullable []> now(byte[] answer) {
        return CompletableFuture.completedFuture(answer);
    }

    private byte[] synthetic(DnsQuery query, String name) {
        byte[] address = names.syntheticOf(name);
        return address == null
                ? query.answer(DnsQuery.SERVER_FAILURE, List.of(), 0)
                : query.answer(DnsQuery.NO_ERROR, List.of(address), SYNTHETIC_TTL_SECONDS);
    }

    private CompletableFuture<byte @Nullable []> real(DnsQuery query, String name) {
        return outside.resolve(name)
                .handleAsync(
                        (addresses, failure) -> {
                            List<byte[]> found = new ArrayList<>();
                            for (InetAddress address : addresses == null ? List.<InetAddress>of() : addresses) {
                                if (address instanceof Inet4Address && found.size() < ADDRESSES_MAX) {
                                    found.add(address.getAddress());
                                    names.learn(address.getAddress(), name);
                                }
                            }
                            int code = addresses == null ? DnsQuery.NO_SUCH_NAME : DnsQuery.NO_ERROR;
                            return query.answer(code, found, REAL_TTL_SECONDS);
                        },
                        loop);
    }
}
