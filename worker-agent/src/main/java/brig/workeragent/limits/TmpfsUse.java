package brig.workeragent.limits;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The use of the tmpfs of a folder, which is memory. The JDK reports the bytes, but not the number of files.
 *
 * @param bytes of content
 * @param files including folders, links and everything else with an inode
 */
@SuppressWarnings("restricted") // A read-only call of the C library.
record TmpfsUse(long bytes, long files) {

    private static final TmpfsUse NOTHING = new TmpfsUse(0, 0);
    private static final MethodHandle STATFS = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("statfs"),
                    FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
    private static final long TMPFS_MAGIC = 0x01021994;
    // struct statfs of 64-bit Linux, statfs(2); it has 120 bytes.
    private static final int STRUCT_BYTES = 256;
    private static final int TYPE = 0;
    private static final int BLOCK_BYTES = 8;
    private static final int BLOCKS = 16;
    private static final int BLOCKS_FREE = 24;
    private static final int FILES = 40;
    private static final int FILES_FREE = 48;

    /** Zero if there is no such folder, or if it is on a disk. */
    static TmpfsUse of(String folder) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(STRUCT_BYTES, Long.BYTES);
            if ((int) STATFS.invokeExact(arena.allocateFrom(folder), found) != 0
                    || found.get(JAVA_LONG, TYPE) != TMPFS_MAGIC) return NOTHING;
            long blocks = found.get(JAVA_LONG, BLOCKS) - found.get(JAVA_LONG, BLOCKS_FREE);
            return new TmpfsUse(
                    blocks * found.get(JAVA_LONG, BLOCK_BYTES),
                    found.get(JAVA_LONG, FILES) - found.get(JAVA_LONG, FILES_FREE));
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
