package brig.seccomp;

/**
 * The system calls that the filter restricts, with their numbers on x86_64 and aarch64. Source: {@code asm/unistd_64.h}
 * and {@code asm-generic/unistd.h} of Linux.
 *
 * <p>Decision 0136.
 */
public enum Syscall {

    // Mounts build the wall. User namespaces would allow them again, so both are refused together.
    MOUNT(Why.MOUNTS_AND_NAMESPACES, 165, 40),
    UMOUNT2(Why.MOUNTS_AND_NAMESPACES, 166, 39),
    PIVOT_ROOT(Why.MOUNTS_AND_NAMESPACES, 155, 41),
    CHROOT(Why.MOUNTS_AND_NAMESPACES, 161, 51),
    SETNS(Why.MOUNTS_AND_NAMESPACES, 308, 268),
    UNSHARE(Why.MOUNTS_AND_NAMESPACES, 272, 97),
    OPEN_TREE(Why.MOUNTS_AND_NAMESPACES, 428, 428),
    MOVE_MOUNT(Why.MOUNTS_AND_NAMESPACES, 429, 429),
    FSOPEN(Why.MOUNTS_AND_NAMESPACES, 430, 430),
    FSCONFIG(Why.MOUNTS_AND_NAMESPACES, 431, 431),
    FSMOUNT(Why.MOUNTS_AND_NAMESPACES, 432, 432),
    FSPICK(Why.MOUNTS_AND_NAMESPACES, 433, 433),
    MOUNT_SETATTR(Why.MOUNTS_AND_NAMESPACES, 442, 442),

    // Memory and descriptors of other processes: brig-init has the payload's user id.
    PTRACE(Why.OTHER_PROCESSES, 101, 117),
    PROCESS_VM_READV(Why.OTHER_PROCESSES, 310, 270),
    PROCESS_VM_WRITEV(Why.OTHER_PROCESSES, 311, 271),
    PROCESS_MADVISE(Why.OTHER_PROCESSES, 440, 440),
    PIDFD_GETFD(Why.OTHER_PROCESSES, 438, 438),
    KCMP(Why.OTHER_PROCESSES, 312, 272),

    // Large attack surfaces with a history of escapes, which no agent needs.
    BPF(Why.ATTACK_SURFACE, 321, 280),
    PERF_EVENT_OPEN(Why.ATTACK_SURFACE, 298, 241),
    USERFAULTFD(Why.ATTACK_SURFACE, 323, 282),
    IO_URING_SETUP(Why.ATTACK_SURFACE, 425, 425),
    IO_URING_ENTER(Why.ATTACK_SURFACE, 426, 426),
    IO_URING_REGISTER(Why.ATTACK_SURFACE, 427, 427),
    FANOTIFY_INIT(Why.ATTACK_SURFACE, 300, 262),
    LOOKUP_DCOOKIE(Why.ATTACK_SURFACE, 212, 18),
    NFSSERVCTL(Why.ATTACK_SURFACE, 180, 42),

    // Key rings have no namespace: all processes of a user id share them.
    KEYCTL(Why.KEYS, 250, 219),
    ADD_KEY(Why.KEYS, 248, 217),
    REQUEST_KEY(Why.KEYS, 249, 218),

    // File handles open files that no path inside the wall leads to.
    NAME_TO_HANDLE_AT(Why.FILE_HANDLES, 303, 264),
    OPEN_BY_HANDLE_AT(Why.FILE_HANDLES, 304, 265),

    // The machine itself. Missing capabilities refuse these too; this is a second barrier.
    KEXEC_LOAD(Why.MACHINE, 246, 104),
    KEXEC_FILE_LOAD(Why.MACHINE, 320, 294),
    INIT_MODULE(Why.MACHINE, 175, 105),
    FINIT_MODULE(Why.MACHINE, 313, 273),
    DELETE_MODULE(Why.MACHINE, 176, 106),
    SWAPON(Why.MACHINE, 167, 224),
    SWAPOFF(Why.MACHINE, 168, 225),
    REBOOT(Why.MACHINE, 169, 142),
    ACCT(Why.MACHINE, 163, 89),
    QUOTACTL(Why.MACHINE, 179, 60),
    QUOTACTL_FD(Why.MACHINE, 443, 443),
    SYSLOG(Why.MACHINE, 103, 116),
    VHANGUP(Why.MACHINE, 153, 58),
    SETHOSTNAME(Why.MACHINE, 170, 161),
    SETDOMAINNAME(Why.MACHINE, 171, 162),
    IOPL(Why.MACHINE, 172, -1),
    IOPERM(Why.MACHINE, 173, -1),

    // The clock of the host.
    SETTIMEOFDAY(Why.CLOCK, 164, 170),
    CLOCK_SETTIME(Why.CLOCK, 227, 112),
    CLOCK_ADJTIME(Why.CLOCK, 305, 266),
    ADJTIMEX(Why.CLOCK, 159, 171),

    // Memory of no process, which only a control group counts.
    MEMFD_CREATE(Why.MEMORY_OF_NOBODY, 319, 279),
    MEMFD_SECRET(Why.MEMORY_OF_NOBODY, 447, 447),
    SHMGET(Why.MEMORY_OF_NOBODY, 29, 194),
    MSGGET(Why.MEMORY_OF_NOBODY, 68, 186),
    SEMGET(Why.MEMORY_OF_NOBODY, 64, 190),
    MQ_OPEN(Why.MEMORY_OF_NOBODY, 240, 180),

    // Files that run as their owner. On the host that may be a person.
    CHMOD(Why.SET_USER_ID, 90, -1),
    FCHMOD(Why.SET_USER_ID, 91, 52),
    FCHMODAT(Why.SET_USER_ID, 268, 53),
    FCHMODAT2(Why.SET_USER_ID, 452, 452),
    OPEN(Why.SET_USER_ID, 2, -1),
    OPENAT(Why.SET_USER_ID, 257, 56),
    OPENAT2(Why.SET_USER_ID, 437, 437),
    CREAT(Why.SET_USER_ID, 85, -1),
    MKNOD(Why.SET_USER_ID, 133, -1),
    MKNODAT(Why.SET_USER_ID, 259, 33),

    // Leftovers of old kernels.
    USELIB(Why.OBSOLETE, 134, -1),
    USTAT(Why.OBSOLETE, 136, -1),
    SYSFS(Why.OBSOLETE, 139, -1),
    SYSCTL(Why.OBSOLETE, 156, -1),
    CREATE_MODULE(Why.OBSOLETE, 174, -1),
    QUERY_MODULE(Why.OBSOLETE, 178, -1),
    GET_KERNEL_SYMS(Why.OBSOLETE, 177, -1),

    // Decided by arguments: some uses are allowed.
    CLONE(Why.BY_ARGUMENT, 56, 220),
    CLONE3(Why.BY_ARGUMENT, 435, 435),
    SOCKET(Why.BY_ARGUMENT, 41, 198),
    SOCKETPAIR(Why.BY_ARGUMENT, 53, 199),
    IOCTL(Why.BY_ARGUMENT, 16, 29),
    PERSONALITY(Why.BY_ARGUMENT, 135, 92);

    /** An architecture without this call. */
    private static final int NONE = -1;

    /**
     * The reason why a call is in this list. All are refused, except {@link #BY_ARGUMENT} and {@link #SET_USER_ID},
     * which depend on arguments.
     */
    enum Why {
        MOUNTS_AND_NAMESPACES,
        OTHER_PROCESSES,
        ATTACK_SURFACE,
        KEYS,
        FILE_HANDLES,
        MACHINE,
        CLOCK,
        MEMORY_OF_NOBODY,
        SET_USER_ID,
        OBSOLETE,
        BY_ARGUMENT
    }

    private final Why why;
    private final int x86;
    private final int arm;

    Syscall(Why why, int x86, int arm) {
        this.why = why;
        this.x86 = x86;
        this.arm = arm;
    }

    Why why() {
        return why;
    }

    boolean existsOn(Machine machine) {
        return numberOn(machine) != NONE;
    }

    int numberOn(Machine machine) {
        return switch (machine) {
            case X86_64 -> x86;
            case AARCH64 -> arm;
        };
    }

    /** The supported processors. */
    public enum Machine {
        X86_64(0xC000003E),
        AARCH64(0xC00000B7);

        /** {@code AUDIT_ARCH_...} of {@code linux/audit.h}. */
        private final int auditNumber;

        Machine(int auditNumber) {
            this.auditNumber = auditNumber;
        }

        int auditNumber() {
            return auditNumber;
        }

        /** @throws IllegalStateException on a processor without a filter, as there is no wall without a filter */
        public static Machine ofHost() {
            return switch (System.getProperty("os.arch")) {
                case "amd64", "x86_64" -> X86_64;
                case "aarch64" -> AARCH64;
                case String other -> throw new IllegalStateException("no system call filter for " + other);
            };
        }
    }
}
