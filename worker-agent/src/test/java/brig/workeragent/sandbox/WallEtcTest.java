package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.tls.CertificateAuthority;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WallEtcTest {
    private static final Map<String, String> OWN = Map.of("passwd", "worker\n");

    @TempDir
    private Path folder;

    private Path host;
    private Path template;

    @BeforeEach
    void makeHost() throws IOException {
        host = Files.createDirectories(folder.resolve("host"));
        template = Files.createDirectories(folder.resolve("template"));
        Files.writeString(host.resolve("passwd"), "root of the host\n");
        Files.writeString(host.resolve("brig.key"), "not shared\n");
        Files.createDirectories(host.resolve("ssl/certs"));
        Files.writeString(host.resolve("ssl/certs/all.crt"), "certificate 1\n");
        Files.createSymbolicLink(host.resolve("ssl/certs/link.crt"), Path.of("/usr/share/somewhere.crt"));
        Path secret = Files.createDirectories(host.resolve("ssl/private"));
        Files.writeString(secret.resolve("host.key"), "secret\n");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rwx--x---"));
        Path closed = Files.writeString(host.resolve("ssl/closed.pem"), "secret\n");
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rw-r-----"));
    }

    private WallEtc open() throws IOException {
        return new WallEtc(template, "etc", host, OWN, null);
    }

    @Test
    void shouldCopyWhatEverybodyMayReadAndNothingElse() throws IOException {
        Path etc = open().folder();
        assertEquals("certificate 1\n", Files.readString(etc.resolve("ssl/certs/all.crt")));
        assertEquals(Path.of("/usr/share/somewhere.crt"), Files.readSymbolicLink(etc.resolve("ssl/certs/link.crt")));
        assertEquals("worker\n", Files.readString(etc.resolve("passwd")));
        assertFalse(Files.exists(etc.resolve("ssl/private"), LinkOption.NOFOLLOW_LINKS));
        assertFalse(Files.exists(etc.resolve("ssl/closed.pem"), LinkOption.NOFOLLOW_LINKS));
        assertFalse(Files.exists(etc.resolve("brig.key"), LinkOption.NOFOLLOW_LINKS));
    }

    @Test
    void shouldTrustOneMoreCertificateWhenTold() throws Exception {
        Path old = certificate("old");
        Files.copy(old, host.resolve("ssl/certs/ca-certificates.crt"));
        Path authority = certificate("authority");
        WallEtc opened = new WallEtc(template, "net", host, OWN, authority);
        Path etc = opened.folder();
        assertEquals(
                Files.readString(old) + "\n" + Files.readString(authority),
                Files.readString(etc.resolve(TrustStore.BUNDLE)));
        assertEquals(Files.readString(authority), Files.readString(etc.resolve(TrustStore.OWN)));
        assertEquals(Set.of(subject(old), subject(authority)), trustedByJava(etc.resolve(TrustStore.JAVA)));
        assertEquals(etc, opened.folder());
        Files.copy(certificate("next"), authority, StandardCopyOption.REPLACE_EXISTING);
        Files.setLastModifiedTime(authority, FileTime.fromMillis(1));
        assertEquals(
                Set.of(subject(old), subject(authority)),
                trustedByJava(opened.folder().resolve(TrustStore.JAVA)));
        assertEquals(Files.readString(old), Files.readString(host.resolve("ssl/certs/ca-certificates.crt")));
    }

    @Test
    void shouldFindListsThatJdksKeepForThemselves() throws IOException {
        Path usr = folder.resolve("usr").toAbsolutePath();
        for (String home : List.of("own", "linked", "old/jre")) {
            Files.createDirectories(usr.resolve("lib/jvm").resolve(home).resolve("lib/security"));
        }
        Path own = Files.createFile(usr.resolve("lib/jvm/own/lib/security/cacerts"));
        Path old = Files.createFile(usr.resolve("lib/jvm/old/jre/lib/security/cacerts"));
        Files.createSymbolicLink(usr.resolve("lib/jvm/linked/lib/security/cacerts"), folder.resolve("elsewhere"));
        Files.createFile(folder.resolve("elsewhere"));
        Files.createSymbolicLink(usr.resolve("lib/jvm/default"), usr.resolve("lib/jvm/own"));
        assertEquals(Set.of(own, old), Set.copyOf(TrustStore.ofJdks(usr)));
    }

    private static Set<String> trustedByJava(Path file) throws Exception {
        KeyStore store = KeyStore.getInstance(file.toFile(), "changeit".toCharArray());
        Set<String> names = new TreeSet<>();
        for (String alias : Collections.list(store.aliases())) {
            names.add(subject(store.getCertificate(alias)));
        }
        return names;
    }

    /** A certificate of that name in a PEM file of its own. */
    private Path certificate(String name) throws IOException {
        return CertificateAuthority.open(Files.createDirectory(folder.resolve(name)), Instant.now())
                .file();
    }

    private static String subject(Path pem) throws Exception {
        try (InputStream bytes = Files.newInputStream(pem)) {
            return subject(CertificateFactory.getInstance("X.509").generateCertificate(bytes));
        }
    }

    private static String subject(Certificate certificate) {
        return ((X509Certificate) certificate).getSubjectX500Principal().getName();
    }

    @Test
    void shouldKeepTheFolderWhileNothingChanges() throws IOException {
        WallEtc etc = open();
        assertEquals(etc.folder(), etc.folder());
    }

    @Test
    void shouldCopyAgainAndLeaveTheOldFolderWhenAFileChangesDeepInside() throws IOException {
        WallEtc etc = open();
        Path before = etc.folder();
        Files.writeString(host.resolve("ssl/certs/all.crt"), "certificate 2\n");
        Files.setLastModifiedTime(host.resolve("ssl/certs/all.crt"), FileTime.fromMillis(1));
        Path after = etc.folder();
        assertNotEquals(before, after);
        assertEquals("certificate 2\n", Files.readString(after.resolve("ssl/certs/all.crt")));
        assertEquals("certificate 1\n", Files.readString(before.resolve("ssl/certs/all.crt")));
    }

    @Test
    void shouldCopyAgainWhenSomethingComesThatWasNotThere() throws IOException {
        WallEtc etc = open();
        etc.folder();
        Files.createDirectories(host.resolve("java-25-openjdk/security"));
        Files.setLastModifiedTime(host, FileTime.fromMillis(1));
        assertTrue(Files.isDirectory(etc.folder().resolve("java-25-openjdk/security")));
    }

    @Test
    void shouldRemoveTheFoldersOfAPredecessor() throws IOException {
        Files.createDirectories(template.resolve("etc-7/ssl"));
        Files.createDirectories(template.resolve("etc.new"));
        Path etc = open().folder();
        assertFalse(Files.exists(template.resolve("etc-7")));
        assertEquals(template.resolve("etc-1"), etc);
    }
}
