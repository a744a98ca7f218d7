package brig.cli.install;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.List;

/**
 * Replaces this process by another program, with its pid, terminal and parent: whoever supervises a gateway does not see
 * that it became another version.
 *
 * <p>Decision 0182.
 */
public final class Successor {
    /** The number of close_range on every architecture. */
    private static final long CLOSE_RANGE = 436;

    private static final int FIRST_DESCRIPTOR = 3;
    private static final int CLOSE_ON_EXEC = 4;
    private static final AddressLayout POINTER = ValueLayout.ADDRESS;

    private Successor() {}

    /** Returns only by the exception. Of the open files the program gets the first three. */
    @SuppressWarnings("restricted")
    public static void become(Path program, List<String> arguments) {
        Linker linker = Linker.nativeLinker();
        SymbolLookup libc = linker.defaultLookup();
        MethodHandle syscall = linker.downcallHandle(
                libc.findOrThrow("syscall"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT),
                Linker.Option.firstVariadicArg(1));
        MethodHandle execv = linker.downcallHandle(
                libc.findOrThrow("execv"), FunctionDescriptor.of(ValueLayout.JAVA_INT, POINTER, POINTER));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment path = arena.allocateFrom(program.toString());
            MemorySegment words = arena.allocate(POINTER, arguments.size() + 2L);
            words.setAtIndex(POINTER, 0, path);
            for (int i = 0; i < arguments.size(); i++) {
                words.setAtIndex(POINTER, i + 1L, arena.allocateFrom(arguments.get(i)));
            }
            long _ = (long) syscall.invokeExact(CLOSE_RANGE, FIRST_DESCRIPTOR, -1, CLOSE_ON_EXEC);
            int _ = (int) execv.invokeExact(path, words);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
        throw new BrigException(ErrorCode.INTERNAL, "cannot become " + program + ": start it again");
    }
}
