package brig.workeragent.sandbox;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

    /** All that {@link #add} writes. */
    static final List<String> FILES = List.of(BUNDLE, JAVA, OWN);

    /** The conventional password of every JDK. It protects nothing: certificates are public. */
    private static final String JAVA_PASSWORD = "changeit";

    private static final Pattern CERTIFICATE =
            Pattern.compile("-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----");
    private static final int JKS_MAGIC = 0xFEEDFEED;
    private static final int JKS_VERSION = 2;
    private static final int JKS_TRUSTED_CERTIFICATE = 2;

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
        put(etc.resolve(JAVA), javaStore(merged.toString(StandardCharsets.ISO_8859_1)));
    }

    /**
     * JKS, the only format in which every JDK reads certificates without a password. It is written here, as the JDK would first parse and
     * check each certificate of the host.
     */
    private static byte[] javaStore(String bundle) throws IOException {
        List<byte[]> certificates = new ArrayList<>();
        Matcher found = CERTIFICATE.matcher(bundle);
        while (found.find()) {
            certificates.add(decoded(found.group(1)));
        }
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        out.writeInt(JKS_MAGIC);
        out.writeInt(JKS_VERSION);
        out.writeInt(certificates.size());
        for (int i = 0; i < certificates.size(); i++) {
            out.writeInt(JKS_TRUSTED_CERTIFICATE);
            out.writeUTF("brig-" + i);
            out.writeLong(0);
            out.writeUTF("X.509");
            out.writeInt(certificates.get(i).length);
            out.write(certificates.get(i));
        }
        out.write(jksDigest(bytes.toByteArray()));
        return bytes.toByteArray();
    }

    private static byte[] decoded(String base64) throws IOException {
        try {
            return Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException malformed) {
            throw new IOException("cannot make Java's list: a certificate of the host is malformed", malformed);
        }
    }

    /** How a JKS file ends: it shows whether the file was changed by somebody without the password. */
    private static byte[] jksDigest(byte[] content) throws IOException {
        try {
            MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
            sha1.update(JAVA_PASSWORD.getBytes(StandardCharsets.UTF_16BE));
            sha1.update("Mighty Aphrodite".getBytes(StandardCharsets.UTF_8));
            return sha1.digest(content);
        } catch (NoSuchAlgorithmException e) {
            throw new IOException(e);
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
