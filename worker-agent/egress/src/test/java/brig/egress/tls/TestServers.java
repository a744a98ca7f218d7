package brig.egress.tls;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** TLS for test servers and clients, with an authority of their own. */
public final class TestServers {
    private final CertificateAuthority authority;

    public TestServers(Path folder) throws IOException {
        authority = CertificateAuthority.open(Files.createDirectories(folder), Instant.now());
    }

    /** The root certificate for clients, in PEM. */
    public Path root() {
        return authority.file();
    }

    /** A TLS server context for that name. */
    public SSLContext server(String host) throws GeneralSecurityException, IOException {
        KeyPair key = CertificateAuthority.newKeyPair();
        X509Certificate leaf = authority.leaf(host, host.matches("[0-9.:]+"), key.getPublic(), Instant.now());
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setKeyEntry("leaf", key.getPrivate(), new char[0], new Certificate[] {leaf, authority.certificate()});
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, new char[0]);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }

    /** A TLS client context that trusts only that root. */
    public static SSLContext client(Path root) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (var in = Files.newInputStream(root)) {
            store.setCertificateEntry(
                    "root", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    /** Starts TLS over a connection and verifies the name. */
    public static SSLSocket over(Socket socket, SSLContext context, String host, String... alpn) throws IOException {
        SSLSocket tls = (SSLSocket) context.getSocketFactory().createSocket(socket, host, 443, true);
        SSLParameters parameters = tls.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setApplicationProtocols(alpn);
        tls.setSSLParameters(parameters);
        tls.startHandshake();
        return tls;
    }

    public static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }
}
