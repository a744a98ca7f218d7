package brig.workeragent.sandbox;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * Adds a certificate to the trust stores of a wall: the host's list, which most programs read, and Java's. Programs
 * then verify the certificates of Brig's proxy without configuration. Programs with a list of their own are configured
 * by variables.
 *
 * <p>Decision 0046.
 */
final class TrustStore {

    /** Below {@code /etc}, as on Debian, Ubuntu, Arch and Alpine. */
    static final String BUNDLE = "ssl/certs/ca-certificates.crt";

    static final String JAVA = "ssl/certs/java/cacerts";
    /** The certificate alone, for programs that extend a list of their own. */
    static final String OWN = "ssl/certs/brig-authority.pem";

    /** The conventional password of every JDK. It protects nothing: certificates are public. */
    private static final char[] JAVA_PASSWORD = "changeit".toCharArray();

    private TrustStore() {}

    /** @param etc a copy of the host's that is not in use yet */
    static void add(Path etc, Path authority) throws IOException {
        Path bundle = etc.resolve(BUNDLE);
        var merged = new ByteArrayOutputStream();
        if (Files.exists(bundle)) merged.write(Files.readAllBytes(bundle));
        merged.write('\n');
        merged.write(Files.readAllBytes(authority));
        put(bundle, merged.toByteArray());
        put(etc.resolve(OWN), Files.readAllBytes(authority));
        put(etc.resolve(JAVA), javaStore(bundle));
    }

    /** JKS, the only format in which every JDK reads certificates without a password. */
    private static byte[] javaStore(Path bundle) throws IOException {
        try (InputStream certificates = new BufferedInputStream(Files.newInputStream(bundle))) {
            KeyStore store = KeyStore.getInstance("JKS");
            store.load(null, null);
            int count = 0;
            for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(certificates)) {
                store.setCertificateEntry("brig-" + count++, one);
            }
            var bytes = new ByteArrayOutputStream();
            store.store(bytes, JAVA_PASSWORD);
            return bytes.toByteArray();
        } catch (GeneralSecurityException malformed) {
            throw new IOException("cannot make Java's list of " + bundle + ": " + malformed.getMessage());
        }
    }

    private static void put(Path file, byte[] content) throws IOException {
        Path folder = file.resolveSibling("");
        Files.createDirectories(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        // Debian's Java list may be a link to one elsewhere; the link is replaced, not its target.
        Files.deleteIfExists(file);
        Files.write(file, content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r--r--"));
    }

    /** Lists below {@code /usr} that JDKs bring themselves; Debian's are links to {@link #JAVA}. */
    static List<Path> ofJdks(Path usr) throws IOException {
        List<Path> own = new ArrayList<>();
        Path jdks = usr.resolve("lib/jvm");
        if (!Files.isDirectory(jdks)) return own;
        try (var homes = Files.newDirectoryStream(jdks)) {
            for (Path home : homes) {
                for (String place : List.of("lib/security/cacerts", "jre/lib/security/cacerts")) {
                    Path list = home.resolve(place);
                    boolean usable = !Files.isSymbolicLink(home) && Files.isRegularFile(list);
                    if (usable && list.toRealPath().startsWith(usr)) own.add(list.toRealPath());
                }
            }
        }
        return own;
    }
}
