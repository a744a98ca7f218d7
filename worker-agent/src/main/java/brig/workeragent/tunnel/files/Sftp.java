package brig.workeragent.tunnel.files;

/** The numbers of SFTP version 3. Format: draft-ietf-secsh-filexfer-02, and PROTOCOL of OpenSSH for its extensions. */
final class Sftp {
    static final int VERSION_3 = 3;

    static final int INIT = 1;
    static final int VERSION = 2;
    static final int OPEN = 3;
    static final int CLOSE = 4;
    static final int READ = 5;
    static final int WRITE = 6;
    static final int LSTAT = 7;
    static final int FSTAT = 8;
    static final int SETSTAT = 9;
    static final int FSETSTAT = 10;
    static final int OPENDIR = 11;
    static final int READDIR = 12;
    static final int REMOVE = 13;
    static final int MKDIR = 14;
    static final int RMDIR = 15;
    static final int REALPATH = 16;
    static final int STAT = 17;
    static final int RENAME = 18;
    static final int READLINK = 19;
    static final int SYMLINK = 20;
    static final int STATUS = 101;
    static final int HANDLE = 102;
    static final int DATA = 103;
    static final int NAME = 104;
    static final int ATTRS = 105;
    static final int EXTENDED = 200;
    static final int EXTENDED_REPLY = 201;

    static final int OK = 0;
    static final int EOF = 1;
    static final int NO_SUCH_FILE = 2;
    static final int PERMISSION_DENIED = 3;
    static final int FAILURE = 4;
    static final int BAD_MESSAGE = 5;
    static final int OP_UNSUPPORTED = 8;

    static final int FLAG_READ = 1;
    static final int FLAG_WRITE = 2;
    static final int FLAG_APPEND = 4;
    static final int FLAG_CREAT = 8;
    static final int FLAG_TRUNC = 16;
    static final int FLAG_EXCL = 32;

    static final String POSIX_RENAME = "posix-rename@openssh.com";
    static final String HARDLINK = "hardlink@openssh.com";
    static final String FSYNC = "fsync@openssh.com";
    static final String STATVFS = "statvfs@openssh.com";
    static final String LSETSTAT = "lsetstat@openssh.com";

    /** Data of one request or reply, as OpenSSH bounds it. */
    static final int DATA_BYTES_MAX = 256 * 1024;
    /** A packet without its length: data, and room for its head. */
    static final int PACKET_BYTES_MAX = DATA_BYTES_MAX + 1024;

    static final int HANDLE_BYTES_MAX = 256;
    static final int PATH_BYTES_MAX = 4096;
    static final int NAME_BYTES_MAX = 255;

    private Sftp() {}
}
