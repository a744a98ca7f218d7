package brig.gateway.e2e.provider;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.net.PfxOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/** A certificate for servers on 127.0.0.1, made for one test, that vouches for itself. */
public record TestCertificate(Path keyStore, Path pem) {
    public static final String PASSWORD = "changeit";
    private static final String NAME = "server";

    /** @param folder for its files */
    public static TestCertificate in(Path folder) throws IOException, GeneralSecurityException {
        Path keyStore = folder.resolve("server.p12");
        Path pem = folder.resolve("server.pem");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/keytool").toString(),
                        "-J-XX:+UseSerialGC",
                        "-J-XX:TieredStopAtLevel=1",
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-alias",
                        NAME,
                        "-dname",
                        "CN=Brig test",
                        "-ext",
                        "san=ip:127.0.0.1,dns:localhost",
                        "-ext",
                        "bc=ca:true",
                        "-keystore",
                        keyStore.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), UTF_8);
        if (FakeSandbox.exitOf(keytool) != 0) {
            throw new IOException(said);
        }
        byte[] encoded = KeyStore.getInstance(keyStore.toFile(), PASSWORD.toCharArray())
                .getCertificate(NAME)
                .getEncoded();
        String text = Base64.getMimeEncoder(64, "\n".getBytes(US_ASCII)).encodeToString(encoded);
        Files.writeString(pem, "-----BEGIN CERTIFICATE-----\n" + text + "\n-----END CERTIFICATE-----\n");
        return new TestCertificate(keyStore, pem);
    }

    PfxOptions options() {
        return new PfxOptions().setPath(keyStore.toString()).setPassword(PASSWORD);
    }
}
