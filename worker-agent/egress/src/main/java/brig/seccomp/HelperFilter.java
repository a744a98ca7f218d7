package brig.seccomp;

import static brig.seccomp.SeccompFilter.ALLOW;
import static brig.seccomp.SeccompFilter.FIRST_ARGUMENT;
import static brig.seccomp.SeccompFilter.KILL;
import static brig.seccomp.SeccompFilter.NO_SUCH_CALL;
import static brig.seccomp.SeccompFilter.NO_SUCH_FAMILY;
import static brig.seccomp.SeccompFilter.REFUSE;
import static brig.seccomp.SeccompFilter.SECOND_ARGUMENT;

import brig.seccomp.Syscall.Machine;
import java.util.List;

/**
 * The system call filter of Brig's own JVMs that read agents' data. It refuses all that a wall's filter refuses, and
 * also new processes, programs, and all sockets but those of the Internet. Threads and open descriptors keep working. A
 * running JVM installs it itself: its start needs {@code execve}.
 */
public final class HelperFilter {
    /** {@code execve}, {@code execveat}, {@code fork}, {@code vfork}. */
    private static final List<Integer> NEW_PROCESSES_X86_64 = List.of(59, 322, 57, 58);
    /** aarch64 has no {@code fork} and {@code vfork}. */
    private static final List<Integer> NEW_PROCESSES_AARCH64 = List.of(221, 281);

    private static final int CLONE_THREAD = 0x10000;

    private HelperFilter() {}

    /** The filter for this host's kernel. @throws IllegalStateException on a processor without a filter */
    public static byte[] ofHost() {
        return build(Machine.ofHost());
    }

    static byte[] build(Machine machine) {
        var program = new BpfProgram().load(SeccompFilter.ARCHITECTURE);
        program.answerWhenOther(machine.auditNumber(), KILL).load(SeccompFilter.NUMBER);
        if (machine == Machine.X86_64) program.answerWhenAtLeast(SeccompFilter.X32_BIT, KILL);
        program.answerWhenGreater(SeccompFilter.NEWEST_KNOWN, NO_SUCH_CALL);
        for (int number : machine == Machine.X86_64 ? NEW_PROCESSES_X86_64 : NEW_PROCESSES_AARCH64) {
            program.whenEqual(number, new BpfProgram().answer(REFUSE));
        }
        for (Syscall call : Syscall.values()) {
            if (call.existsOn(machine)) program.whenEqual(call.numberOn(machine), rule(call));
        }
        return program.answer(ALLOW).toBytes();
    }

    private static BpfProgram rule(Syscall call) {
        return switch (call) {
            case CLONE ->
                new BpfProgram()
                        .load(FIRST_ARGUMENT)
                        .answerWhenAnyBit(SeccompFilter.CLONE_NEW_ANY, REFUSE)
                        .answerWhenAnyBit(CLONE_THREAD, ALLOW)
                        .answer(REFUSE);
            // Its flags are in memory, which a filter cannot read; C libraries fall back to clone.
            case CLONE3 -> new BpfProgram().answer(NO_SUCH_CALL);
            case SOCKET -> socket();
            // Its standard error may be a person's terminal.
            case IOCTL ->
                new BpfProgram()
                        .load(SECOND_ARGUMENT)
                        .answerWhenEqual(SeccompFilter.TIOCSTI, REFUSE)
                        .answerWhenEqual(SeccompFilter.TIOCLINUX, REFUSE)
                        .answer(ALLOW);
            // The JDK's channels need a pair, which leads nowhere.
            case SOCKETPAIR ->
                new BpfProgram()
                        .load(FIRST_ARGUMENT)
                        .answerWhenEqual(SeccompFilter.AF_UNIX, ALLOW)
                        .answer(NO_SUCH_FAMILY);
            default ->
                call.why() == Syscall.Why.SET_USER_ID
                        ? SeccompFilter.withoutSetUserId(call)
                        : new BpfProgram().answer(REFUSE);
        };
    }

    /** A Unix socket would reach abstract names in the host's network namespace, such as a desktop's. */
    private static BpfProgram socket() {
        var noRawPackets = new BpfProgram()
                .load(SECOND_ARGUMENT)
                .and(SeccompFilter.SOCKET_TYPE_MASK)
                .answerWhenEqual(SeccompFilter.SOCK_RAW, REFUSE)
                .answer(ALLOW);
        return new BpfProgram()
                .load(FIRST_ARGUMENT)
                .whenEqual(SeccompFilter.AF_INET, noRawPackets)
                .whenEqual(SeccompFilter.AF_INET6, noRawPackets)
                .answer(NO_SUCH_FAMILY);
    }
}
