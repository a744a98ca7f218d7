package brig.egress.tls;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.address.HostNames;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** The proxy as a TLS client: verifies the server's certificate chain and name. */
public final class UpstreamTls {
    private final SslContext context;

    /** @param extraRoots PEM texts with authorities in addition to the JDK's */
    public UpstreamTls(List<String> extraRoots) throws IOException {
        try {
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(roots(extraRoots));
            context = SslContextBuilder.forClient()
                    .sslProvider(SslProvider.JDK)
                    .trustManager(factory)
                    .protocols("TLSv1.3", "TLSv1.2")
                    .endpointIdentificationAlgorithm("HTTPS")
                    .build();
        } catch (GeneralSecurityException e) {
            throw new IOException("cannot read the roots of trust", e);
        }
    }

    private static KeyStore roots(List<String> extraRoots) throws GeneralSecurityException, IOException {
        TrustManagerFactory usual = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        usual.init((KeyStore) null);
        KeyStore all = KeyStore.getInstance(KeyStore.getDefaultType());
        all.load(null, null);
        int count = 0;
        for (TrustManager manager : usual.getTrustManagers()) {
            if (manager instanceof X509TrustManager x509) {
                for (Certificate root : x509.getAcceptedIssuers()) {
                    all.setCertificateEntry("usual-" + count++, root);
                }
            }
        }
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        for (String pem : extraRoots) {
            for (Certificate root : factory.generateCertificates(new ByteArrayInputStream(pem.getBytes(UTF_8)))) {
                all.setCertificateEntry("extra-" + count++, root);
            }
        }
        return all;
    }

    /** A TLS client for that host, a name or an address literal. */
    public SslHandler newHandler(ByteBufAllocator allocator, String host, int port, long handshakeMs) {
        SslHandler handler = context.newHandler(allocator, host, port);
        handler.setHandshakeTimeoutMillis(handshakeMs);
        if (HostNames.literal(host) == null) {
            SSLParameters parameters = handler.engine().getSSLParameters();
            // The JDK sends no server name without a dot by itself.
            parameters.setServerNames(List.of(new SNIHostName(host)));
            handler.engine().setSSLParameters(parameters);
        }
        return handler;
    }
}
