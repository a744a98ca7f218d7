package brig.protocol.control;

import brig.protocol.record.Extensible;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The images of a host that may be roots of walls. */
@Extensible
public record ImagesAnswer(List<Image> images) {
    /**
     * An image.
     *
     * @param name as in {@code oci:NAME}
     * @param digest of its manifest, or of its files if it was a plain folder
     * @param bytes of its files on disk
     * @param leftOut how many files it lacks: devices, and what could not be read
     * @param library its C library, {@code glibc} or {@code musl}; null for another or none
     * @param usedMs when it was taken in or last used, milliseconds since 1970
     * @param uses how many sessions have it as their root
     */
    @Extensible
    public record Image(
            String name,
            String digest,
            long bytes,
            long files,
            long leftOut,
            @Nullable String library,
            long usedMs,
            int uses) {}
}
