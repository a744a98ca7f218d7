package brig.egress.secret;

import brig.protocol.BrigException;
import brig.protocol.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The credentials that sign requests to AWS. As the value of a secret they are one line of JSON with the members that
 * {@code credential_process} of AWS' programs writes.
 */
public record AwsCredentials(
        String accessKeyId,
        String secretAccessKey,
        @Nullable String sessionToken) {
    private static final Pattern ID = Pattern.compile("[A-Z0-9]{8,128}");
    private static final Pattern TOKEN = Pattern.compile("[!-~]{8,16384}");

    /** Reads the value of a secret; null if it has none. */
    public static @Nullable AwsCredentials read(String value) {
        if (!value.startsWith("{")) {
            return null;
        }
        JsonObject content;
        try {
            content = JsonObject.read(value.getBytes(StandardCharsets.UTF_8));
        } catch (BrigException notJson) {
            return null;
        }
        String id = content.text("AccessKeyId", "");
        String secret = content.text("SecretAccessKey", "");
        String token = content.text("SessionToken");
        boolean isUsable = ID.matcher(id).matches()
                && TOKEN.matcher(secret).matches()
                && (token == null || TOKEN.matcher(token).matches());
        return isUsable ? new AwsCredentials(id, secret, token) : null;
    }

    /** The texts that a server could reveal of a secret's value: the value itself, and what it is made of. */
    static List<String> partsOf(String value) {
        AwsCredentials credentials = read(value);
        List<String> parts = new ArrayList<>(List.of(value));
        if (credentials != null) {
            parts.add(credentials.secretAccessKey());
            if (credentials.sessionToken() != null) {
                parts.add(credentials.sessionToken());
            }
        }
        return parts;
    }

    @Override
    public String toString() {
        return "AwsCredentials[" + accessKeyId + "]";
    }
}
