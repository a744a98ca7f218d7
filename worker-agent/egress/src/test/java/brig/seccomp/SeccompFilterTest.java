package brig.seccomp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.seccomp.SeccompFilter.Allowed;
import brig.seccomp.Syscall.Machine;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs the filter in a small interpreter of classic BPF, on made-up system calls. */
class SeccompFilterTest {

    private static int run(Machine machine, Allowed allowed, int architecture, int number, long... arguments) {
        return interpret(SeccompFilter.build(machine, allowed, true), architecture, number, arguments);
    }

    /** The filter's answer to a system call. */
    static int interpret(byte[] filter, int architecture, int number, long... arguments) {
        var call = ByteBuffer.allocate(64)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(number)
                .putInt(architecture)
                .putLong(0);
        for (long argument : arguments) call.putLong(argument);
        var program = ByteBuffer.wrap(filter).order(ByteOrder.LITTLE_ENDIAN);
        int accumulator = 0;
        for (int at = 0; ; at++) {
            int code = program.getShort(at * 8);
            int whenTrue = program.get(at * 8 + 2) & 0xFF;
            int whenFalse = program.get(at * 8 + 3) & 0xFF;
            int operand = program.getInt(at * 8 + 4);
            switch (code) {
                case 0x20 -> accumulator = call.getInt(operand);
                case 0x54 -> accumulator &= operand;
                case 0x15 -> at += accumulator == operand ? whenTrue : whenFalse;
                case 0x25 -> at += Integer.compareUnsigned(accumulator, operand) > 0 ? whenTrue : whenFalse;
                case 0x35 -> at += Integer.compareUnsigned(accumulator, operand) >= 0 ? whenTrue : whenFalse;
                case 0x45 -> at += (accumulator & operand) != 0 ? whenTrue : whenFalse;
                case 0x06 -> {
                    return operand;
                }
                default -> throw new AssertionError("instruction " + code);
            }
        }
    }

    private static int run(Machine machine, Syscall call, long... arguments) {
        return run(machine, Allowed.USUAL, machine.auditNumber(), call.numberOn(machine), arguments);
    }

    @ParameterizedTest
    @EnumSource(Machine.class)
    void shouldDecideByCallAndArguments(Machine machine) {
        int read = machine == Machine.X86_64 ? 0 : 63;
        assertEquals(SeccompFilter.ALLOW, run(machine, Allowed.USUAL, machine.auditNumber(), read));
        assertEquals(SeccompFilter.REFUSE, run(machine, Syscall.MOUNT));
        assertEquals(SeccompFilter.REFUSE, run(machine, Syscall.PTRACE));
        assertEquals(SeccompFilter.REFUSE, run(machine, Syscall.IO_URING_SETUP));
        assertEquals(SeccompFilter.NO_SUCH_CALL, run(machine, Syscall.CLONE3));
        assertEquals(SeccompFilter.ALLOW, run(machine, Syscall.CLONE, 0x3D0F00));
        assertEquals(SeccompFilter.REFUSE, run(machine, Syscall.CLONE, 0x10000011));
        assertEquals(SeccompFilter.ALLOW, run(machine, Syscall.PERSONALITY, 0xFFFFFFFFL));
        assertEquals(SeccompFilter.REFUSE, run(machine, Syscall.PERSONALITY, 0x0040000));
    }

    @ParameterizedTest
    @EnumSource(Machine.class)
    void shouldLimitSocketsToFamiliesThatTheNetworkNamespaceCovers(Machine machine) {
        assertEquals(SeccompFilter.ALLOW, run(machine, Syscall.SOCKET, 1, 1));
        assertEquals(SeccompFilter.ALLOW, run(machine, Syscall.SOCKET, 2, 0x80801));
        assertEquals(SeccompFilter.ALLOW, run(machine, Syscall.SOCKET, 10, 2));
        assertEquals(SeccompFilter.ALLOW, run(machine, Syscall.SOCKET, 16, 3));
        assertEquals(SeccompFilter.REFUSE, run(machine, Syscall.SOCKET, 2, 0x80003));
        assertEquals(SeccompFilter.REFUSE, run(machine, Syscall.SOCKET, 10, 3));
        assertEquals(SeccompFilter.NO_SUCH_FAMILY, run(machine, Syscall.SOCKET, 40, 1));
        assertEquals(SeccompFilter.NO_SUCH_FAMILY, run(machine, Syscall.SOCKET, 17, 3));
        assertEquals(SeccompFilter.ALLOW, run(machine, Syscall.SOCKETPAIR, 1, 1));
        assertEquals(SeccompFilter.NO_SUCH_FAMILY, run(machine, Syscall.SOCKETPAIR, 30, 1));
    }

    @ParameterizedTest
    @EnumSource(Machine.class)
    void shouldRefuseTerminalInjectionWhenHighBitsAreSetToo(Machine machine) {
        assertEquals(SeccompFilter.REFUSE, run(machine, Syscall.IOCTL, 0, 0x5412));
        assertEquals(SeccompFilter.REFUSE, run(machine, Syscall.IOCTL, 0, 0xDEADBEEF00005412L));
        assertEquals(SeccompFilter.REFUSE, run(machine, Syscall.IOCTL, 0, 0x541C));
        assertEquals(SeccompFilter.ALLOW, run(machine, Syscall.IOCTL, 0, 0x5401));
    }

    @ParameterizedTest
    @EnumSource(Machine.class)
    void shouldHideMemoryThatBelongsToNoProcessWhenNoGroupCountsIt(Machine machine) {
        for (Syscall call : List.of(
                Syscall.MEMFD_CREATE,
                Syscall.MEMFD_SECRET,
                Syscall.SHMGET,
                Syscall.MSGGET,
                Syscall.SEMGET,
                Syscall.MQ_OPEN)) {
            assertEquals(SeccompFilter.ALLOW, run(machine, call), call.name());
            for (Allowed allowed : List.of(Allowed.USUAL, Allowed.NAMESPACES)) {
                byte[] alone = SeccompFilter.build(machine, allowed, false);
                assertEquals(
                        SeccompFilter.NO_SUCH_CALL,
                        interpret(alone, machine.auditNumber(), call.numberOn(machine)),
                        call.name());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Machine.class)
    void shouldAllowASecondKernelWhatItNeedsAndNoMore(Machine machine) {
        byte[] filter = SeccompFilter.build(machine, Allowed.SECOND_KERNEL, false);
        for (Syscall call :
                List.of(Syscall.PTRACE, Syscall.MEMFD_CREATE, Syscall.UNSHARE, Syscall.MOUNT, Syscall.CLONE3)) {
            assertEquals(
                    SeccompFilter.ALLOW, interpret(filter, machine.auditNumber(), call.numberOn(machine)), call.name());
        }
        for (Syscall call : List.of(
                Syscall.IO_URING_SETUP, Syscall.BPF, Syscall.KEYCTL, Syscall.PROCESS_VM_READV, Syscall.USERFAULTFD)) {
            assertEquals(
                    SeccompFilter.REFUSE,
                    interpret(filter, machine.auditNumber(), call.numberOn(machine)),
                    call.name());
        }
    }

    /** The index of the mode among each call's arguments. */
    @ParameterizedTest
    @CsvSource({"CHMOD, 1", "FCHMOD, 1", "CREAT, 1", "MKNOD, 1", "FCHMODAT, 2", "FCHMODAT2, 2", "MKNODAT, 2"})
    void shouldRefuseTheSetUserIdBit(Syscall call, int place) {
        for (Machine machine : Machine.values()) {
            if (!call.existsOn(machine)) continue;
            long[] arguments = new long[4];
            arguments[place] = 0104755;
            assertEquals(SeccompFilter.REFUSE, run(machine, call, arguments), machine.name());
            arguments[place] = 0xFFFFFFFF00000000L | 04000;
            assertEquals(SeccompFilter.REFUSE, run(machine, call, arguments), machine.name());
            arguments[place] = 0102775;
            assertEquals(SeccompFilter.ALLOW, run(machine, call, arguments), machine.name());
        }
    }

    @ParameterizedTest
    @EnumSource(Machine.class)
    void shouldLookAtTheModeOfAnOpenWhenItMakesAFile(Machine machine) {
        int create = 0100;
        int temporary = 020200000;
        assertEquals(SeccompFilter.REFUSE, run(machine, Syscall.OPENAT, 3, 0, create | 1, 04711));
        assertEquals(SeccompFilter.REFUSE, run(machine, Syscall.OPENAT, 3, 0, temporary | 1, 04711));
        assertEquals(SeccompFilter.ALLOW, run(machine, Syscall.OPENAT, 3, 0, create | 1, 0777));
        assertEquals(SeccompFilter.ALLOW, run(machine, Syscall.OPENAT, 3, 0, 0, 04711));
        assertEquals(SeccompFilter.NO_SUCH_CALL, run(machine, Syscall.OPENAT2, 3, 0, 0, 24));
    }

    @Test
    void shouldLookAtTheModeOfAnOldOpenToo() {
        assertEquals(SeccompFilter.REFUSE, run(Machine.X86_64, Syscall.OPEN, 0, 0100, 04711));
        assertEquals(SeccompFilter.ALLOW, run(Machine.X86_64, Syscall.OPEN, 0, 0, 04711));
    }

    @Test
    void shouldKillWhenTheCallIsOfAnotherAbi() {
        int i386 = 0x40000003;
        assertEquals(SeccompFilter.KILL, run(Machine.X86_64, Allowed.USUAL, i386, 0));
        assertEquals(SeccompFilter.KILL, run(Machine.AARCH64, Allowed.USUAL, Machine.X86_64.auditNumber(), 0));
        int x86 = Machine.X86_64.auditNumber();
        assertEquals(SeccompFilter.KILL, run(Machine.X86_64, Allowed.USUAL, x86, 0x40000000));
        assertEquals(SeccompFilter.KILL, run(Machine.X86_64, Allowed.USUAL, x86, 0x40000000 | 165));
        assertEquals(SeccompFilter.KILL, run(Machine.X86_64, Allowed.USUAL, x86, -1));
    }

    @Test
    void shouldHideCallsThatAreNewerThanTheList() {
        int x86 = Machine.X86_64.auditNumber();
        assertEquals(SeccompFilter.NO_SUCH_CALL, run(Machine.X86_64, Allowed.USUAL, x86, 467));
        assertEquals(SeccompFilter.ALLOW, run(Machine.X86_64, Allowed.USUAL, x86, 466));
    }

    @Test
    void shouldLiftOnlyNamespacesAndMountsWhenNested() {
        int x86 = Machine.X86_64.auditNumber();
        assertEquals(SeccompFilter.ALLOW, run(Machine.X86_64, Allowed.NAMESPACES, x86, 272));
        assertEquals(SeccompFilter.ALLOW, run(Machine.X86_64, Allowed.NAMESPACES, x86, 56, 0x10000011));
        assertEquals(SeccompFilter.REFUSE, run(Machine.X86_64, Allowed.NAMESPACES, x86, 321));
    }
}
