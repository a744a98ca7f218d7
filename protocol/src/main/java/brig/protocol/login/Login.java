package brig.protocol.login;

import brig.protocol.BrigException;
import brig.protocol.io.WholeFile;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Extensible;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A login of a person at a vendor, as {@code brig login} wrote it. The file has mode 0600; {@code brig login} makes it,
 * and then the worker-agent alone writes it, when it gets new tokens.
 *
 * @param vendor where the login is good
 * @param tokenUrl where new tokens come from; null where they cannot be renewed
 * @param accessToken what a request carries
 * @param refreshToken good for one renewal; null if the access token cannot be renewed
 * @param expiresAtMs when the access token ends, in milliseconds since 1970; 0 if that is unknown
 * @param from the vendor's own file that it was taken from and is written back to; null for none
 * @param refusal why the vendor refuses it for good; null while it is good
 * @param credential a credential of systemd that has the access token, which is then not in the file; null for none
 */
@CamelCase
@Extensible
public record Login(
        Vendor vendor,
        @Nullable String tokenUrl,
        String accessToken,
        @Nullable String refreshToken,
        long expiresAtMs,
        @Nullable String from,
        @Nullable String refusal,
        @Nullable String credential) {
    /** A login whose tokens are in the file. */
    public Login(
            Vendor vendor,
            @Nullable String tokenUrl,
            String accessToken,
            @Nullable String refreshToken,
            long expiresAtMs,
            @Nullable String from,
            @Nullable String refusal) {
        this(vendor, tokenUrl, accessToken, refreshToken, expiresAtMs, from, refusal, null);
    }

    static final int FILE_BYTES_MAX = 128 * 1024;

    /** Tokens, as a vendor gives them. */
    public record Tokens(String accessToken, @Nullable String refreshToken, long expiresAtMs) {
        @Override
        public String toString() {
            return "Tokens[expiresAtMs=" + expiresAtMs + "]";
        }
    }

    /** Reads a file that {@link #write} wrote. */
    public static Login read(Path file) throws IOException {
        JsonObject content = readObject(file);
        try {
            return content.as(Login.class);
        } catch (BrigException e) {
            // Its text may have a piece of the file.
            throw new IOException("it is no login");
        }
    }

    /** Reads a file of one JSON object. The text of an exception has nothing of it. */
    public static JsonObject readObject(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(FILE_BYTES_MAX + 1);
            if (bytes.length > FILE_BYTES_MAX) {
                throw new IOException("it has more than " + FILE_BYTES_MAX + " bytes");
            }
            return JsonObject.read(bytes);
        } catch (BrigException e) {
            throw new IOException("it is no JSON object");
        }
    }

    /** Writes it, on the disk when this returns. */
    public void write(Path file) throws IOException {
        writeDurably(file, Json.writeLine(this));
    }

    static void writeDurably(Path file, byte[] content) throws IOException {
        WholeFile.write(file, fresh -> {
            try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(content));
                channel.force(true);
            }
        });
        try (FileChannel folder =
                FileChannel.open(Objects.requireNonNull(file.toAbsolutePath().getParent()))) {
            folder.force(true);
        }
    }

    public Tokens tokens() {
        return new Tokens(accessToken, refreshToken, expiresAtMs);
    }

    /** The same login with new tokens. A vendor that sends no new refresh token goes on with the old one. */
    public Login with(Tokens fresh) {
        return new Login(
                vendor,
                tokenUrl,
                fresh.accessToken(),
                fresh.refreshToken() == null ? refreshToken : fresh.refreshToken(),
                fresh.expiresAtMs(),
                from,
                null);
    }

    /** The same login with that access token. */
    public Login withToken(String token) {
        return new Login(vendor, tokenUrl, token, refreshToken, expiresAtMs, from, refusal, credential);
    }

    public Login refused(String why) {
        return new Login(vendor, tokenUrl, accessToken, refreshToken, expiresAtMs, from, why, credential);
    }

    public boolean isRenewable() {
        return refreshToken != null && tokenUrl != null;
    }

    @Override
    public String toString() {
        return "Login[vendor=" + vendor + ", expiresAtMs=" + expiresAtMs + "]";
    }
}
