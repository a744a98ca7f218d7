package brig.workeragent.limits;

/**
 * The use of the tmpfs of a folder, which is memory.
 *
 * @param bytes of content
 * @param files including folders, links and everything else with an inode
 */
record TmpfsUse(long bytes, long files) {

    private static final TmpfsUse NOTHING = new TmpfsUse(0, 0);
    private static final long TMPFS_MAGIC = 0x01021994;

    /** Zero if there is no such folder, or if it is on a disk. */
    static TmpfsUse of(String folder) {
        Statfs found = Statfs.of(folder);
        return found == null || found.type() != TMPFS_MAGIC
                ? NOTHING
                : new TmpfsUse(found.usedBytes(), found.files() - found.freeFiles());
    }
}
