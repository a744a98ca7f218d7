package brig.protocol.spawn;

import brig.protocol.BrigException;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a wall's root file system is: {@code host}, or {@code oci:NAME} for an image that was pulled, or {@code
 * oci:NAME@sha256:…} for that image and no newer one.
 *
 * @param image its name; null for the host's files
 * @param digest the only one that it may have; null for any
 */
public record RootName(@Nullable String image, @Nullable String digest) {
    public static final RootName HOST = new RootName(null, null);

    /** All forms, for messages. */
    public static final String FORMS = "host, oci:NAME or oci:NAME@sha256:…";

    private static final String HOST_NAME = "host";
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9._-]{0,63}");
    private static final Pattern DIGEST = Pattern.compile("sha256:[0-9a-f]{64}");
    private static final Pattern IMAGE = Pattern.compile("oci:(" + NAME + ")(?:@(" + DIGEST + "))?");

    /** @throws BrigException {@code INVALID_FIELD} */
    public static RootName parse(String field, String text) {
        Matcher image = IMAGE.matcher(text);
        if (text.equals(HOST_NAME)) {
            return HOST;
        }
        if (!image.matches()) {
            throw BrigException.invalid(field, "must be " + FORMS);
        }
        return new RootName(image.group(1), image.group(2));
    }

    /** Whether {@link #parse} takes it. */
    public static boolean isRoot(String text) {
        return text.equals(HOST_NAME) || IMAGE.matcher(text).matches();
    }

    /** What is this root and that one; null if nothing is both. */
    public @Nullable RootName and(RootName other) {
        boolean isSame = Objects.equals(image, other.image)
                && (digest == null || other.digest == null || digest.equals(other.digest));
        return !isSame ? null : digest == null ? other : this;
    }

    /** Whether an image may have that name. */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    public static boolean isDigest(String text) {
        return DIGEST.matcher(text).matches();
    }

    @Override
    public String toString() {
        return image == null ? HOST_NAME : "oci:" + image + (digest == null ? "" : "@" + digest);
    }
}
