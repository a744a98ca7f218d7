package brig.egress.tls;

import brig.protocol.address.HostNames;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * The proxy as a TLS server under any name. All leaves share one key, as a key costs a hundred times a signature. One
 * TLS context asks its key manager for the certificate of each name. The least recently used leaves are evicted.
 *
 * <p>Decisions 0146, 0197.
 */
public final class LeafCertificates {
    static final int LEAVES_MAX = 1024;
    /** Leaves are valid for 90 days. */
    private static final Duration RENEW_AFTER = Duration.ofDays(30);

    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};
    /** Clients get HTTP/1.1, whatever the server supports. */
    private static final ApplicationProtocolConfig HTTP_1_1 = new ApplicationProtocolConfig(
            ApplicationProtocolConfig.Protocol.ALPN,
            ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
            ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
            ApplicationProtocolNames.HTTP_1_1);

    private record Leaf(CompletableFuture<X509Certificate> certificate, long madeMs) {}

    private final CertificateAuthority authority;
    private final Executor makers;
    private final Clock clock;
    private final KeyPair key;
    private final SslContext context;
    private final ReentrantLock lock = new ReentrantLock();
    /** Leaves by host. Guarded by the lock. */
    private final Map<String, Leaf> leaves = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Leaf> eldest) {
            return size() > LEAVES_MAX;
        }
    };

    /**
     * The context is the JDK's own: Netty's builder for servers first tries one out, with all of BouncyCastle's provider, for 400 ms of
     * each start.
     *
     * @param makers signs certificates: a few milliseconds each
     */
    public LeafCertificates(CertificateAuthority authority, Executor makers, Clock clock) throws IOException {
        this.authority = authority;
        this.makers = makers;
        this.clock = clock;
        try {
            this.key = CertificateAuthority.newKeyPair();
            SSLContext jdk = SSLContext.getInstance("TLS");
            jdk.init(new KeyManager[] {new ByPeer()}, null, null);
            this.context = new JdkSslContext(
                    jdk, false, null, IdentityCipherSuiteFilter.INSTANCE, HTTP_1_1, ClientAuth.NONE, PROTOCOLS, false);
        } catch (GeneralSecurityException e) {
            throw new IOException("cannot set up TLS", e);
        }
    }

    /** Creates the leaf of that host, if there is none. Completes on any thread. */
    public CompletableFuture<X509Certificate> prepare(String host) {
        long nowMs = clock.millis();
        CompletableFuture<X509Certificate> fresh;
        lock.lock();
        try {
            Leaf known = leaves.get(host);
            if (known != null
                    && nowMs - known.madeMs() < RENEW_AFTER.toMillis()
                    && !known.certificate().isCompletedExceptionally()) {
                return known.certificate();
            }
            fresh = new CompletableFuture<>();
            leaves.put(host, new Leaf(fresh, nowMs));
        } finally {
            lock.unlock();
        }
        makers.execute(() -> make(host, fresh));
        return fresh;
    }

    private void make(String host, CompletableFuture<X509Certificate> fresh) {
        try {
            fresh.complete(authority.leaf(host, HostNames.literal(host) != null, key.getPublic(), clock.instant()));
        } catch (GeneralSecurityException | IOException | RuntimeException e) {
            fresh.completeExceptionally(e);
        }
    }

    /** A TLS server under that host's name; its leaf must be prepared. */
    public SslHandler newHandler(ByteBufAllocator allocator, String host, int port) {
        return context.newHandler(allocator, host, port);
    }

    private @Nullable X509Certificate find(@Nullable String host) {
        lock.lock();
        try {
            Leaf leaf = host == null ? null : leaves.get(host);
            return leaf == null ? null : leaf.certificate().getNow(null);
        } catch (CompletionException notMade) {
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** Selects by the engine's host, not by the client's server name. */
    private final class ByPeer extends X509ExtendedKeyManager {
        @Override
        public @Nullable String chooseEngineServerAlias(
                String keyType, Principal @Nullable [] issuers, SSLEngine engine) {
            return "EC".equals(keyType) && find(engine.getPeerHost()) != null ? engine.getPeerHost() : null;
        }

        @Override
        public X509Certificate @Nullable [] getCertificateChain(String alias) {
            X509Certificate leaf = find(alias);
            return leaf == null ? null : new X509Certificate[] {leaf, authority.certificate()};
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return key.getPrivate();
        }

        @Override
        public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
            return null;
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }

        @Override
        public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
            return null;
        }

        @Override
        public @Nullable String chooseClientAlias(
                String[] keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }
    }
}
