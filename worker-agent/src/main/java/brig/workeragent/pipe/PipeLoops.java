package brig.workeragent.pipe;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The event loops of all pipes. The JDK has none for them: its selectors take sockets only. */
@SuppressWarnings("restricted") // One call of the C library.
public final class PipeLoops implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PipeLoops.class);
    private static final int LOOPS_MAX = 4;
    private static final long CLOSE_MS = 2000;
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle OPEN = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("open"),
                    FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT),
                    Linker.Option.firstVariadicArg(2),
                    Linker.Option.captureCallState("errno"));
    // O_RDONLY or O_WRONLY, O_NONBLOCK and O_CLOEXEC of open(2), alike on x86-64 and aarch64.
    private static final int READING = 0x800 | 0x80000;
    private static final int WRITING = READING | 1;

    private final Set<EpollEnd> pipes = ConcurrentHashMap.newKeySet();
    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(
            Math.clamp(Runtime.getRuntime().availableProcessors(), 1, LOOPS_MAX),
            new DefaultThreadFactory("brig-pipes", true),
            EpollIoHandler.newFactory());

    /**
     * Opens the reading end of a pipe, which does not block.
     *
     * @param path a FIFO, or a descriptor in /proc
     */
    public OutputPipe openOutput(String path) throws IOException {
        return counted(new EpollOutput(new FileDescriptor(open(path, READING)), group.next()));
    }

    /**
     * Opens the writing end of a pipe, which does not block.
     *
     * @param path as that of {@link #openOutput}; a FIFO needs a reader
     */
    public InputPipe openInput(String path) throws IOException {
        return counted(new EpollInput(new FileDescriptor(open(path, WRITING)), group.next()));
    }

    private <T extends EpollEnd> T counted(T pipe) {
        pipes.add(pipe);
        var _ = pipe.ended().whenComplete((nothing, never) -> pipes.remove(pipe));
        return pipe;
    }

    private static int open(String path, int flags) throws IOException {
        int descriptor;
        int errno;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            descriptor = (int) OPEN.invokeExact(state, arena.allocateFrom(path), flags);
            errno = (int) ERRNO.get(state, 0L);
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
        if (descriptor < 0) {
            throw new IOException(path + " cannot be opened: errno " + errno);
        }
        return descriptor;
    }

    /** Waits a while for the readers of pipes whose writers are gone; the others' are ended. */
    @Override
    public void close() {
        try {
            CompletableFuture.allOf(pipes.stream().map(EpollEnd::ended).toArray(CompletableFuture[]::new))
                    .get(CLOSE_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("{} pipes are closed before their end", pipes.size());
            pipes.forEach(EpollEnd::close);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        var _ = group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
