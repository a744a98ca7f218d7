package brig.gateway.provider;

import brig.protocol.Ids;
import java.util.regex.Pattern;

/** Labels as each provider takes them: Kubernetes allows the least. */
public final class LabelText {
    private static final Pattern PLAIN = Pattern.compile("[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?");
    private static final int DIGEST_LENGTH = 40;

    private LabelText() {}

    /** The value, or where it has other characters or too many its digest, which is the same for the same value. */
    public static String of(String value) {
        return PLAIN.matcher(value).matches() ? value : "sha." + Ids.hash(value).substring(0, DIGEST_LENGTH);
    }
}
