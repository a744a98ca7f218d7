package brig.seccomp;

import brig.seccomp.Syscall.Machine;
import brig.seccomp.Syscall.Why;

/**
 * The system call filter of a wall. It allows calls that it does not name, except those newer than the list: they fail
 * with ENOSYS, on which programs fall back. Refusals follow what programs expect: EPERM where an unprivileged user
 * would be refused, ENOSYS where a fallback exists.
 *
 * <p>Decision 0136.
 */
public final class SeccompFilter {

    // linux/seccomp.h
    public static final int ALLOW = 0x7FFF0000;
    static final int KILL = 0x80000000;
    private static final int ERRNO = 0x00050000;
    static final int REFUSE = ERRNO | 1;
    static final int NO_SUCH_CALL = ERRNO | 38;
    static final int NO_SUCH_FAMILY = ERRNO | 97;

    // struct seccomp_data; arguments are 64 bits, of which the kernel uses the low 32 in all calls checked here.
    static final int NUMBER = 0;
    static final int ARCHITECTURE = 4;
    static final int FIRST_ARGUMENT = 16;
    static final int SECOND_ARGUMENT = 24;
    private static final int THIRD_ARGUMENT = 32;
    private static final int FOURTH_ARGUMENT = 40;

    /** Calls from here on use the x32 ABI: the same kernel functions under numbers outside the list. */
    static final int X32_BIT = 0x40000000;
    /** {@code removexattrat}: the newest call that the list considered. */
    static final int NEWEST_KNOWN = 466;

    /** NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
    static final int CLONE_NEW_ANY = 0x7E020000;

    static final int AF_UNIX = 1;
    static final int AF_INET = 2;
    static final int AF_INET6 = 10;
    private static final int AF_NETLINK = 16;
    static final int SOCKET_TYPE_MASK = 0xF;
    static final int SOCK_RAW = 3;

    /** Both insert characters into a terminal's input, as if its user typed them. */
    static final int TIOCSTI = 0x5412;

    static final int TIOCLINUX = 0x541C;

    /** {@code S_ISUID} of {@code linux/stat.h}. */
    private static final int SET_USER_ID = 04000;
    /** {@code O_CREAT} and {@code __O_TMPFILE}: only with one of them does an open have a mode. */
    private static final int OPEN_CREATES = 0100 | 020000000;

    private static final int PERSONALITY_LINUX = 0;
    private static final int PERSONALITY_QUERY = 0xFFFFFFFF;

    /** What a filter allows. */
    public enum Allowed {
        USUAL,
        /** Namespaces and mounts too, for an agent that builds its own sandbox inside the wall. */
        NAMESPACES,
        /**
         * What gVisor needs too to be a second kernel: it traces the processes that it runs, and their memory is a file. It filters
         * its own calls once it has started.
         */
        SECOND_KERNEL;

        private boolean lifts(Syscall call) {
            return switch (this) {
                case USUAL -> false;
                case NAMESPACES -> call.why() == Why.MOUNTS_AND_NAMESPACES;
                case SECOND_KERNEL ->
                    call.why() == Why.MOUNTS_AND_NAMESPACES || call == Syscall.PTRACE || call == Syscall.MEMFD_CREATE;
            };
        }
    }

    private SeccompFilter() {}

    /**
     * The filter in the kernel's format.
     *
     * @param memoryGroup whether a control group limits memory, and so counts memory that no process maps
     */
    public static byte[] build(Machine machine, Allowed allowed, boolean memoryGroup) {
        var program = new BpfProgram().load(ARCHITECTURE);
        program.answerWhenOther(machine.auditNumber(), KILL).load(NUMBER);
        if (machine == Machine.X86_64) program.answerWhenAtLeast(X32_BIT, KILL);
        program.answerWhenGreater(NEWEST_KNOWN, NO_SUCH_CALL);
        for (Syscall call : Syscall.values()) {
            boolean lifted = allowed.lifts(call) || (memoryGroup && call.why() == Why.MEMORY_OF_NOBODY);
            if (!call.existsOn(machine) || lifted) continue;
            program.whenEqual(call.numberOn(machine), rule(call, allowed != Allowed.USUAL));
        }
        return program.answer(ALLOW).toBytes();
    }

    private static BpfProgram rule(Syscall call, boolean namespaces) {
        return switch (call) {
            // As in a kernel built without them; programs fall back to files in /tmp and /dev/shm.
            case MEMFD_CREATE, MEMFD_SECRET, SHMGET, MSGGET, SEMGET, MQ_OPEN -> new BpfProgram().answer(NO_SUCH_CALL);
            case CLONE -> clone(namespaces);
            // Its flags are in memory, which a filter cannot read; C libraries fall back to clone.
            case CLONE3 -> new BpfProgram().answer(namespaces ? ALLOW : NO_SUCH_CALL);
            case SOCKET -> socket();
            case SOCKETPAIR ->
                new BpfProgram()
                        .load(FIRST_ARGUMENT)
                        .answerWhenEqual(AF_UNIX, ALLOW)
                        .answer(NO_SUCH_FAMILY);
            case IOCTL ->
                new BpfProgram()
                        .load(SECOND_ARGUMENT)
                        .answerWhenEqual(TIOCSTI, REFUSE)
                        .answerWhenEqual(TIOCLINUX, REFUSE)
                        .answer(ALLOW);
            case PERSONALITY ->
                new BpfProgram()
                        .load(FIRST_ARGUMENT)
                        .answerWhenEqual(PERSONALITY_LINUX, ALLOW)
                        .answerWhenEqual(PERSONALITY_QUERY, ALLOW)
                        .answer(REFUSE);
            default -> call.why() == Why.SET_USER_ID ? withoutSetUserId(call) : new BpfProgram().answer(REFUSE);
        };
    }

    /**
     * The rule for calls that set a file's mode: no set-user-id bit. The set-group-id bit passes, as folders use it (a
     * repository shared with a group), and a filter cannot see what a path leads to.
     */
    static BpfProgram withoutSetUserId(Syscall call) {
        return switch (call) {
            case CHMOD, FCHMOD, CREAT, MKNOD -> modeIn(SECOND_ARGUMENT);
            case FCHMODAT, FCHMODAT2, MKNODAT -> modeIn(THIRD_ARGUMENT);
            case OPEN -> modeOfOpen(SECOND_ARGUMENT, THIRD_ARGUMENT);
            case OPENAT -> modeOfOpen(THIRD_ARGUMENT, FOURTH_ARGUMENT);
            // Its mode is in memory, which a filter cannot read; programs fall back to openat.
            case OPENAT2 -> new BpfProgram().answer(NO_SUCH_CALL);
            default -> throw new IllegalArgumentException(call + " sets no mode");
        };
    }

    private static BpfProgram modeIn(int argument) {
        return new BpfProgram()
                .load(argument)
                .answerWhenAnyBit(SET_USER_ID, REFUSE)
                .answer(ALLOW);
    }

    private static BpfProgram modeOfOpen(int flags, int mode) {
        return new BpfProgram()
                .load(flags)
                .answerWhenNoBit(OPEN_CREATES, ALLOW)
                .load(mode)
                .answerWhenAnyBit(SET_USER_ID, REFUSE)
                .answer(ALLOW);
    }

    private static BpfProgram clone(boolean namespaces) {
        var rule = new BpfProgram().load(FIRST_ARGUMENT);
        return (namespaces ? rule : rule.answerWhenAnyBit(CLONE_NEW_ANY, REFUSE)).answer(ALLOW);
    }

    /**
     * A network namespace does not cover every family: AF_VSOCK, for example, reaches the host of a virtual machine.
     */
    private static BpfProgram socket() {
        var noRawPackets = new BpfProgram()
                .load(SECOND_ARGUMENT)
                .and(SOCKET_TYPE_MASK)
                .answerWhenEqual(SOCK_RAW, REFUSE)
                .answer(ALLOW);
        return new BpfProgram()
                .load(FIRST_ARGUMENT)
                .answerWhenEqual(AF_UNIX, ALLOW)
                .answerWhenEqual(AF_NETLINK, ALLOW)
                .whenEqual(AF_INET, noRawPackets)
                .whenEqual(AF_INET6, noRawPackets)
                .answer(NO_SUCH_FAMILY);
    }
}
