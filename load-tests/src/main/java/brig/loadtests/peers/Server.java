package brig.loadtests.peers;

import brig.loadtests.product.Brig;
import java.io.IOException;
import java.util.List;

/** A peer during one run. */
public interface Server extends AutoCloseable {
    /** What tells the generator where and how to publish and to read. */
    List<String> generatorArguments();

    /** Processes whose CPU time and memory count. */
    List<Long> pids();

    /** The generator is ready: whatever still has to be opened. Lines that tell the generator what. */
    default Opened open() throws IOException {
        return new Opened(residentBytes(), List.of());
    }

    /** Heap after collections, for servers that have one which can be seen. */
    default List<HeapSample> heap() throws IOException {
        return List.of();
    }

    /** Collects the whole heap, so that {@link #heap} says what of it is in use; nothing where there is none. */
    default void collect() throws IOException {}

    /** Memory in RAM of all of it. */
    default long residentBytes() throws IOException {
        long bytes = 0;
        for (long pid : pids()) {
            bytes += Brig.residentBytes(pid);
        }
        return bytes;
    }

    @Override
    void close() throws IOException;

    /**
     * What was opened.
     *
     * @param residentBytesBefore memory of the server before there were streams
     * @param lines               what the generator is told before it goes
     */
    record Opened(long residentBytesBefore, List<String> lines) {}

    /**
     * Used bytes of the heap right behind a collection.
     *
     * @param live whether the whole heap was collected, so that all of it is in use
     */
    record HeapSample(long timeMs, long usedBytes, boolean live) {}

    /** A server that is one process, up before the generator. */
    record Single(ServerProcess process, List<Long> pids, List<String> generatorArguments) implements Server {
        Single(ServerProcess process, List<String> generatorArguments) {
            this(process, List.of(process.pid()), generatorArguments);
        }

        @Override
        public void close() {
            process.close();
        }
    }
}
