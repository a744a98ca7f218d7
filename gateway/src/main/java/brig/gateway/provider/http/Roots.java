package brig.gateway.provider.http;

import brig.protocol.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** The certificates that vouch for servers: those of the JDK, and those of a file. */
final class Roots {
    private Roots() {}

    /** @throws IllegalArgumentException if the file has no certificate */
    static X509TrustManager with(@Nullable Path file) {
        try {
            X509TrustManager ofJdk = manager(null);
            return file == null ? ofJdk : manager(store(List.of(ofJdk.getAcceptedIssuers()), read(file)));
        } catch (IOException e) {
            throw new IllegalArgumentException("the certificates in " + file + ": " + Reason.of(e), e);
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("the certificates in " + file + " cannot be read", e);
        }
    }

    private static List<Certificate> read(Path file) throws IOException, GeneralSecurityException {
        try (InputStream from = Files.newInputStream(file)) {
            List<Certificate> found =
                    List.copyOf(CertificateFactory.getInstance("X.509").generateCertificates(from));
            if (found.isEmpty()) {
                throw new IOException("there is none");
            }
            return found;
        }
    }

    private static KeyStore store(List<? extends Certificate> known, List<Certificate> more)
            throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        List<Certificate> all = new ArrayList<>(known);
        all.addAll(more);
        for (int at = 0; at < all.size(); at++) {
            store.setCertificateEntry("root-" + at, all.get(at));
        }
        return store;
    }

    private static X509TrustManager manager(@Nullable KeyStore store) throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        for (TrustManager manager : factory.getTrustManagers()) {
            if (manager instanceof X509TrustManager found) {
                return found;
            }
        }
        throw new GeneralSecurityException("no trust manager");
    }
}
