package brig.gateway.nats;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import io.nats.client.Connection;
import io.nats.client.ConnectionListener;
import io.nats.client.ErrorListener;
import io.nats.client.Nats;
import io.nats.client.Options;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Connects to NATS with what the settings name. */
final class NatsAccess {
    private static final Duration CONNECT_MAX = Duration.ofSeconds(5);
    private static final Duration RECONNECT = Duration.ofMillis(250);
    private static final Duration PING = Duration.ofSeconds(5);
    private static final int PINGS_OUT_MAX = 2;

    private NatsAccess() {}

    /** @throws BrigException naming what is in the way */
    static Connection connect(NatsSettings settings, String credentialsFile, ConnectionListener listener) {
        Options.Builder options = Options.builder()
                .servers(settings.servers().toArray(String[]::new))
                .connectionName("brig " + settings.gateway())
                .connectionTimeout(CONNECT_MAX)
                .maxReconnects(-1)
                .reconnectWait(RECONNECT)
                .pingInterval(PING)
                .maxPingsOut(PINGS_OUT_MAX)
                .reportNoResponders()
                .errorListener(new Quiet())
                .connectionListener(listener);
        try {
            authenticate(options, credentialsFile);
            if (!settings.caFile().isEmpty()) {
                options.sslContext(trusting(Path.of(settings.caFile())));
            }
            return Nats.connect(options.build());
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new BrigException(
                    ErrorCode.INTERNAL,
                    "cannot connect to NATS at " + String.join(", ", settings.servers())
                            + ", which is cluster.servers: "
                            + (e instanceof IOException io ? Reason.withFile(io) : e.getMessage())
                            + "; is nats-server up, and are cluster.credentialsFile and cluster.caFile right?");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BrigException(ErrorCode.INTERNAL, "interrupted");
        }
    }

    private static void authenticate(Options.Builder options, String file) throws IOException {
        if (file.isEmpty()) {
            return;
        }
        String text = Files.readString(Path.of(file)).strip();
        if (text.startsWith("-----BEGIN")) {
            options.authHandler(Nats.credentials(file));
            return;
        }
        int colon = text.indexOf(':');
        if (colon < 1 || text.contains("\n")) {
            throw new IllegalArgumentException(
                    file + " is neither a file of NATS credentials nor one line USER:PASSWORD");
        }
        options.userInfo(text.substring(0, colon), text.substring(colon + 1));
    }

    private static SSLContext trusting(Path file) throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        try (InputStream certificates = Files.newInputStream(file)) {
            int number = 0;
            for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(certificates)) {
                trusted.setCertificateEntry("ca" + number++, one);
            }
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    /** Errors come with results, and connections are told of by their listener. */
    private static final class Quiet implements ErrorListener {}
}
