package brig.workeragent.limits;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * The file system of a folder. The JDK knows neither its kind as a number nor its files, and reads all mounts first.
 *
 * @param type its magic number
 * @param bytes its size
 * @param freeBytes what root may still use
 * @param availableBytes what anybody may still use
 * @param files all inodes
 * @param freeFiles unused ones
 * @param id the same for all of its folders
 */
@SuppressWarnings("restricted") // A read-only call of the C library.
record Statfs(long type, long bytes, long freeBytes, long availableBytes, long files, long freeFiles, long id) {

    private static final MethodHandle STATFS = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("statfs"),
                    FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
    // struct statfs of 64-bit Linux, statfs(2); it has 120 bytes.
    private static final int STRUCT_BYTES = 256;
    private static final int TYPE = 0;
    private static final int BLOCK_BYTES = 8;
    private static final int BLOCKS = 16;
    private static final int BLOCKS_FREE = 24;
    private static final int BLOCKS_AVAILABLE = 32;
    private static final int FILES = 40;
    private static final int FILES_FREE = 48;
    private static final int ID = 56;

    /** Null if there is no such folder. */
    static @Nullable Statfs of(String folder) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(STRUCT_BYTES, Long.BYTES);
            if ((int) STATFS.invokeExact(arena.allocateFrom(folder), found) != 0) return null;
            long blockBytes = found.get(JAVA_LONG, BLOCK_BYTES);
            return new Statfs(
                    found.get(JAVA_LONG, TYPE),
                    found.get(JAVA_LONG, BLOCKS) * blockBytes,
                    found.get(JAVA_LONG, BLOCKS_FREE) * blockBytes,
                    found.get(JAVA_LONG, BLOCKS_AVAILABLE) * blockBytes,
                    found.get(JAVA_LONG, FILES),
                    found.get(JAVA_LONG, FILES_FREE),
                    found.get(JAVA_LONG, ID));
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    long usedBytes() {
        return bytes - freeBytes;
    }
}
