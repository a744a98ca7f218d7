package brig.egress.dns;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The name servers of this host, for {@code dnsMode: open}. Queries and answers pass unchanged. */
public final class NameServers {
    private static final Logger LOG = LoggerFactory.getLogger(NameServers.class);
    private static final int AT_ONCE_MAX = 64;
    private static final int ANSWER_BYTES_MAX = 4096;
    private static final int ANSWER_MS = 3_000;

    private final List<InetSocketAddress> servers;
    private final Executor threads;
    private final Semaphore places = new Semaphore(AT_ONCE_MAX);

    public NameServers(List<InetSocketAddress> servers, Executor threads) {
        this.servers = List.copyOf(servers);
        this.threads = threads;
    }

    /** The answer to a query; null if none came. Completes on any thread. */
    public CompletableFuture<byte @Nullable []> ask(byte[] question) {
        if (servers.isEmpty() || !places.tryAcquire()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<byte @Nullable []> answered = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                answered.complete(exchange(question));
            } finally {
                places.release();
            }
        });
        return answered;
    }

    private byte @Nullable [] exchange(byte[] question) {
        for (InetSocketAddress server : servers) {
            try (DatagramSocket socket = new DatagramSocket()) {
                socket.setSoTimeout(ANSWER_MS);
                socket.connect(server);
                socket.send(new DatagramPacket(question, question.length));
                DatagramPacket answer = new DatagramPacket(new byte[ANSWER_BYTES_MAX], ANSWER_BYTES_MAX);
                socket.receive(answer);
                boolean same = answer.getLength() >= 2
                        && answer.getData()[0] == question[0]
                        && answer.getData()[1] == question[1];
                if (same) {
                    return Arrays.copyOf(answer.getData(), answer.getLength());
                }
            } catch (IOException e) {
                LOG.debug("name server {}: {}", server, e.toString());
            }
        }
        return null;
    }
}
