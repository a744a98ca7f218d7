package brig.workeragent.image;

import brig.protocol.record.Extensible;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is known of an unpacked image, in a file beside its files.
 *
 * @param environment variables for its programs
 * @param library its C library; null for another than glibc or musl, or none
 */
@Extensible
record StoredImage(
        String digest,
        Map<String, String> environment,
        long bytes,
        long files,
        long leftOut,
        @Nullable String library) {}
