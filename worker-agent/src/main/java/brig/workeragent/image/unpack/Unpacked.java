package brig.workeragent.image.unpack;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of an image.
 *
 * @param fault why it is not taken; null if it is, then {@code digest} is not null
 * @param environment as its author wishes it, {@code NAME=value} each
 * @param leftOut how many files were left out: devices, and what cannot be read or named
 * @param library its C library, {@code glibc} or {@code musl}; null for another or none
 */
public record Unpacked(
        @Nullable String fault,
        @Nullable String digest,
        List<String> environment,
        long bytes,
        long files,
        long leftOut,
        @Nullable String library) {
    public static final String GLIBC = "glibc";
    public static final String MUSL = "musl";

    static Unpacked fault(String why) {
        return new Unpacked(why, null, List.of(), 0, 0, 0, null);
    }
}
