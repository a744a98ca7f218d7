package brig.gateway.provider.http;

import brig.gateway.provider.ProviderFailure;
import brig.protocol.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** The key of a provider, read for each request: one that was replaced counts at once. */
record KeyFile(Path file) {
    private static final int BYTES_MAX = 8 * 1024;
    private static final Pattern KEY = Pattern.compile("[\\x21-\\x7e]+");

    /** May block. @throws ProviderFailure if there is no key; it never has what is in the file */
    String read() {
        try (InputStream from = Files.newInputStream(file)) {
            String key = new String(from.readNBytes(BYTES_MAX + 1), StandardCharsets.ISO_8859_1).strip();
            if (key.length() > BYTES_MAX || !KEY.matcher(key).matches()) {
                throw refused("it has no key: one word on one line");
            }
            return key;
        } catch (IOException e) {
            throw refused(Reason.of(e));
        }
    }

    private ProviderFailure refused(String why) {
        return new ProviderFailure(ProviderFailure.Kind.REFUSED, "the key file " + file + ": " + why);
    }
}
