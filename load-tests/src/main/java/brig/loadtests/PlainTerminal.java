package brig.loadtests;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import brig.loadtests.engine.Children;
import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;

/** A program on a pseudo-terminal of this process, without Brig. Used by one thread. */
@SuppressWarnings("restricted") // Every call of a function of C is.
final class PlainTerminal implements AutoCloseable {
    private static final int BUFFER_BYTES = 4096;
    /** O_RDWR, O_NOCTTY and O_CLOEXEC of Linux. */
    private static final int OPEN_FLAGS = 2 | 0400 | 02000000;

    private static final FunctionDescriptor COPY = FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
    private static final FunctionDescriptor OF_DESCRIPTOR = FunctionDescriptor.of(JAVA_INT, JAVA_INT);

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment buffer = arena.allocate(BUFFER_BYTES);
    private final MethodHandle read = function("read", COPY);
    private final MethodHandle write = function("write", COPY);
    private final int master;
    private final Process program;

    private PlainTerminal(List<String> command) throws IOException {
        try {
            master = (int) function("posix_openpt", OF_DESCRIPTOR).invokeExact(OPEN_FLAGS);
            int granted = (int) function("grantpt", OF_DESCRIPTOR).invokeExact(master);
            int unlocked = (int) function("unlockpt", OF_DESCRIPTOR).invokeExact(master);
            if (master < 0 || granted != 0 || unlocked != 0) {
                throw new IOException("there is no pseudo-terminal");
            }
            MemorySegment name = (MemorySegment) function("ptsname", FunctionDescriptor.of(ADDRESS, JAVA_INT))
                    .invokeExact(master);
            File slave = new File(name.reinterpret(BUFFER_BYTES).getString(0));
            List<String> leading = new ArrayList<>(List.of("setsid", "-c"));
            leading.addAll(command);
            program = Children.start(new ProcessBuilder(leading)
                    .redirectInput(slave)
                    .redirectOutput(slave)
                    .redirectError(slave));
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    static PlainTerminal start(List<String> command) throws IOException {
        return new PlainTerminal(command);
    }

    private static MethodHandle function(String name, FunctionDescriptor type) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(), type);
    }

    /** Sends one key, and waits for its echo. */
    void press(char key) throws IOException {
        buffer.set(JAVA_BYTE, 0, (byte) key);
        if (copy(write, 1) != 1) {
            throw new IOException("the program does not read");
        }
        awaitText(String.valueOf(key));
    }

    /** Reads until that was shown. */
    void awaitText(String text) throws IOException {
        StringBuilder shown = new StringBuilder();
        while (shown.indexOf(text) < 0) {
            long count = copy(read, BUFFER_BYTES);
            if (count <= 0) {
                throw new IOException("the program ended before it showed '" + text + "'");
            }
            for (long i = 0; i < count; i++) {
                shown.append((char) buffer.get(JAVA_BYTE, i));
            }
        }
    }

    private long copy(MethodHandle call, long count) {
        try {
            return (long) call.invokeExact(master, buffer, count);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    public void close() {
        program.destroyForcibly();
        try {
            int unused = (int) function("close", OF_DESCRIPTOR).invokeExact(master);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
        arena.close();
    }
}
