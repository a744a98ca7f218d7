package brig.workeragent.tunnel.files;

/**
 * Attributes of a file, without those that version 3 leaves to extensions.
 *
 * @param flags which of the others are there
 * @param mode type and permissions
 */
record FileAttributes(int flags, long size, int uid, int gid, int mode, int accessed, int modified) {
    static final int SIZE = 1;
    static final int OWNER = 2;
    static final int MODE = 4;
    static final int TIMES = 8;

    private static final int EXTENSIONS = 0x80000000;
    private static final int EXTENSIONS_MAX = 16;
    private static final int EXTENSION_BYTES_MAX = 1024;

    private static final int TYPE_BITS = 0170000;
    private static final int REGULAR = 0100000;
    private static final int FOLDER = 0040000;
    private static final int LINK = 0120000;
    private static final int SET_USER_ID = 04000;

    static FileAttributes read(SftpReader in) {
        int flags = in.u32();
        long size = (flags & SIZE) != 0 ? in.u64() : 0;
        int uid = (flags & OWNER) != 0 ? in.u32() : 0;
        int gid = (flags & OWNER) != 0 ? in.u32() : 0;
        int mode = (flags & MODE) != 0 ? in.u32() : 0;
        int accessed = (flags & TIMES) != 0 ? in.u32() : 0;
        int modified = (flags & TIMES) != 0 ? in.u32() : 0;
        int extensions = (flags & EXTENSIONS) != 0 ? in.u32() : 0;
        if (extensions < 0 || extensions > EXTENSIONS_MAX || (flags & ~(EXTENSIONS | 15)) != 0) {
            throw new SftpFault("attributes with flags " + Integer.toHexString(flags));
        }
        for (int i = 0; i < 2 * extensions; i++) {
            in.string(EXTENSION_BYTES_MAX);
        }
        return new FileAttributes(flags & ~EXTENSIONS, size, uid, gid, mode, accessed, modified);
    }

    static FileAttributes ofSize(long size) {
        return new FileAttributes(SIZE, size, 0, 0, 0, 0, 0);
    }

    SftpWriter write(SftpWriter out) {
        out.u32(flags);
        if (has(SIZE)) {
            out.u64(size);
        }
        if (has(OWNER)) {
            out.u32(uid).u32(gid);
        }
        if (has(MODE)) {
            out.u32(mode);
        }
        return has(TIMES) ? out.u32(accessed).u32(modified) : out;
    }

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    boolean isRegular() {
        return (mode & TYPE_BITS) == REGULAR;
    }

    boolean isFolder() {
        return (mode & TYPE_BITS) == FOLDER;
    }

    boolean isLink() {
        return (mode & TYPE_BITS) == LINK;
    }

    boolean setsUserId() {
        return (mode & SET_USER_ID) != 0;
    }

    /** What is shown of a private file: that it is there, and of what type. */
    FileAttributes masked() {
        return new FileAttributes(SIZE | (flags & MODE) | TIMES, 0, 0, 0, mode & TYPE_BITS, 0, 0);
    }

    /** Whether both can be of one file, except for the time of its last reading. */
    boolean isSameFile(FileAttributes other) {
        return flags == other.flags
                && size == other.size
                && uid == other.uid
                && gid == other.gid
                && mode == other.mode
                && modified == other.modified;
    }
}
