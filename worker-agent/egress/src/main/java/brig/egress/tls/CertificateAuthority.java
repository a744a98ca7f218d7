package brig.egress.tls;

import static java.nio.charset.StandardCharsets.US_ASCII;

import brig.protocol.io.WholeFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.Objects;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.jspecify.annotations.Nullable;

/**
 * The certificate authority that the walls of this installation trust, and nobody else should. Created at the first
 * start; its key is in a file of mode 0600 outside all walls. Immutable.
 */
public final class CertificateAuthority {
    private static final String CURVE = "secp256r1";
    private static final String SIGNATURE = "SHA256withECDSA";
    private static final Duration LIFE = Duration.ofDays(3650);
    /** Clients refuse server certificates that are valid for longer than 398 days. */
    private static final Duration LEAF_LIFE = Duration.ofDays(90);
    /** Tolerates clock differences. */
    private static final Duration BEFORE = Duration.ofDays(1);

    private static final int SERIAL_BITS = 127;
    private static final int NAME_LENGTH_MAX = 64;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final X509Certificate certificate;
    private final PrivateKey key;
    private final @Nullable Path file;

    private CertificateAuthority(X509Certificate certificate, PrivateKey key, @Nullable Path file) {
        this.certificate = certificate;
        this.key = key;
        this.file = file;
    }

    /** Reads {@code ca.crt} and {@code ca.key} of that folder, or creates them. */
    public static CertificateAuthority open(Path folder, Instant now) throws IOException {
        Path certificateFile = folder.resolve("ca.crt");
        Path keyFile = folder.resolve("ca.key");
        try {
            if (Files.exists(keyFile) && Files.exists(certificateFile)) {
                CertificateAuthority found = read(certificateFile, keyFile);
                if (found.certificate.getNotAfter().toInstant().isAfter(now.plus(LEAF_LIFE))) {
                    return found;
                }
            }
            return make(certificateFile, keyFile, now);
        } catch (GeneralSecurityException | OperatorCreationException e) {
            throw new IOException("cannot read or create the certificate authority in " + folder, e);
        }
    }

    private static CertificateAuthority read(Path certificateFile, Path keyFile)
            throws IOException, GeneralSecurityException {
        Files.setPosixFilePermissions(keyFile, PosixFilePermissions.fromString("rw-------"));
        return of(new Pems(Files.readString(certificateFile), Files.readString(keyFile)), certificateFile);
    }

    /** An authority in PEM, for the process that signs with it. */
    public record Pems(String certificate, String key) {}

    /** Reads an authority from PEM. */
    public static CertificateAuthority of(Pems pems) throws IOException {
        try {
            return of(pems, null);
        } catch (GeneralSecurityException e) {
            throw new IOException("cannot read the certificate authority", e);
        }
    }

    private static CertificateAuthority of(Pems pems, @Nullable Path file) throws GeneralSecurityException {
        String pem = pems.key().replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
        PrivateKey key = KeyFactory.getInstance("EC")
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem)));
        var certificate = (X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(pems.certificate().getBytes(US_ASCII)));
        return new CertificateAuthority(certificate, key, file);
    }

    /** This authority in PEM. */
    public Pems pems() throws IOException {
        try {
            return new Pems(pem("CERTIFICATE", certificate.getEncoded()), pem("PRIVATE KEY", key.getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    private static CertificateAuthority make(Path certificateFile, Path keyFile, Instant now)
            throws IOException, GeneralSecurityException, OperatorCreationException {
        KeyPair pair = newKeyPair();
        X500Name name = name("Brig egress " + Integer.toHexString(RANDOM.nextInt()));
        X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                name, serial(), Date.from(now.minus(BEFORE)), Date.from(now.plus(LIFE)), name, pair.getPublic());
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
        builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
        builder.addExtension(
                Extension.subjectKeyIdentifier,
                false,
                new JcaX509ExtensionUtils().createSubjectKeyIdentifier(pair.getPublic()));
        X509Certificate certificate = new JcaX509CertificateConverter()
                .getCertificate(builder.build(new JcaContentSignerBuilder(SIGNATURE).build(pair.getPrivate())));
        write(keyFile, pem("PRIVATE KEY", pair.getPrivate().getEncoded()), WholeFile.PRIVATE);
        write(certificateFile, pem("CERTIFICATE", certificate.getEncoded()), "rw-r--r--");
        return new CertificateAuthority(certificate, pair.getPrivate(), certificateFile);
    }

    private static void write(Path file, String text, String mode) throws IOException {
        WholeFile.write(file, text.getBytes(StandardCharsets.US_ASCII), mode);
    }

    private static String pem(String what, byte[] der) {
        return "-----BEGIN " + what + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + what + "-----\n";
    }

    /** The file with the certificate, in PEM, for the trust stores of walls. */
    public Path file() {
        return Objects.requireNonNull(file, "made of text");
    }

    X509Certificate certificate() {
        return certificate;
    }

    static KeyPair newKeyPair() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec(CURVE));
        return generator.generateKeyPair();
    }

    /** Signs a server certificate for a host name or address literal. */
    X509Certificate leaf(String host, boolean isAddress, PublicKey leafKey, Instant now)
            throws GeneralSecurityException, IOException {
        try {
            // A common name has no room for longer names; clients check the alternative names anyway.
            X500Name subject = name(host.length() <= NAME_LENGTH_MAX ? host : "brig");
            X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                    certificate,
                    serial(),
                    Date.from(now.minus(BEFORE)),
                    Date.from(now.plus(LEAF_LIFE)),
                    subject,
                    leafKey);
            JcaX509ExtensionUtils extensions = new JcaX509ExtensionUtils();
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            builder.addExtension(
                    Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
            builder.addExtension(
                    Extension.subjectAlternativeName,
                    false,
                    new GeneralNames(new GeneralName(isAddress ? GeneralName.iPAddress : GeneralName.dNSName, host)));
            builder.addExtension(
                    Extension.authorityKeyIdentifier, false, extensions.createAuthorityKeyIdentifier(certificate));
            builder.addExtension(Extension.subjectKeyIdentifier, false, extensions.createSubjectKeyIdentifier(leafKey));
            return new JcaX509CertificateConverter()
                    .getCertificate(builder.build(new JcaContentSignerBuilder(SIGNATURE).build(key)));
        } catch (OperatorCreationException e) {
            throw new GeneralSecurityException(e);
        }
    }

    private static X500Name name(String commonName) {
        return new X500NameBuilder(BCStyle.INSTANCE)
                .addRDN(BCStyle.CN, commonName)
                .build();
    }

    private static BigInteger serial() {
        return new BigInteger(SERIAL_BITS, RANDOM).setBit(SERIAL_BITS - 1);
    }
}
