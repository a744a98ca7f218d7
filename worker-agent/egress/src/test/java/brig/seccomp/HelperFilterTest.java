package brig.seccomp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.seccomp.Syscall.Machine;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The filter of JVMs that read agents' data, in the interpreter of SeccompFilterTest. */
class HelperFilterTest {
    private static final int THREAD = 0x3D0F00;
    private static final int NEW_USER = 0x10000000;

    private static int run(Machine machine, int number, long... arguments) {
        return SeccompFilterTest.interpret(HelperFilter.build(machine), machine.auditNumber(), number, arguments);
    }

    @ParameterizedTest
    @EnumSource(Machine.class)
    void shouldMakeThreadsAndNoProcessesOrPrograms(Machine machine) {
        boolean x86 = machine == Machine.X86_64;
        for (int number : x86 ? new int[] {59, 322, 57, 58} : new int[] {221, 281}) {
            assertEquals(SeccompFilter.REFUSE, run(machine, number));
        }
        int clone = Syscall.CLONE.numberOn(machine);
        assertEquals(SeccompFilter.ALLOW, run(machine, clone, THREAD));
        assertEquals(SeccompFilter.REFUSE, run(machine, clone, 0x11));
        assertEquals(SeccompFilter.REFUSE, run(machine, clone, THREAD | NEW_USER));
        assertEquals(SeccompFilter.NO_SUCH_CALL, run(machine, Syscall.CLONE3.numberOn(machine), THREAD));
        assertEquals(SeccompFilter.ALLOW, run(machine, x86 ? 0 : 63));
    }

    @ParameterizedTest
    @EnumSource(Machine.class)
    void shouldMakeSocketsOfTheInternetOnly(Machine machine) {
        int socket = Syscall.SOCKET.numberOn(machine);
        for (int family : new int[] {2, 10}) {
            assertEquals(SeccompFilter.ALLOW, run(machine, socket, family, 1));
            assertEquals(SeccompFilter.ALLOW, run(machine, socket, family, 2));
            assertEquals(SeccompFilter.REFUSE, run(machine, socket, family, 3));
        }
        for (int family : new int[] {1, 16, 17, 38, 40}) {
            assertEquals(SeccompFilter.NO_SUCH_FAMILY, run(machine, socket, family, 1));
        }
    }

    /** It refuses all that a wall's filter refuses outright, now and later. */
    @ParameterizedTest
    @EnumSource(Machine.class)
    void shouldRefuseWhatAWallRefuses(Machine machine) {
        for (Syscall call : Syscall.values()) {
            if (call.existsOn(machine)
                    && call.why() != Syscall.Why.BY_ARGUMENT
                    && call.why() != Syscall.Why.SET_USER_ID) {
                assertEquals(SeccompFilter.REFUSE, run(machine, call.numberOn(machine)), call.name());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Machine.class)
    void shouldMakeNoFileWithTheSetUserIdBit(Machine machine) {
        int fchmod = Syscall.FCHMOD.numberOn(machine);
        assertEquals(SeccompFilter.REFUSE, run(machine, fchmod, 3, 04755));
        assertEquals(SeccompFilter.ALLOW, run(machine, fchmod, 3, 0600));
    }
}
