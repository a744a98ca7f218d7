package brig.loadtests.peers;

import brig.loadtests.product.Brig;
import java.io.IOException;
import java.util.List;

/** A peer during one run. */
public interface Server extends AutoCloseable {
    /** The generator's arguments for publishing and reading. */
    List<String> generatorArguments();

    /** Processes whose CPU time and memory count. */
    List<Long> pids();

    /** Called when the generator is ready: opens the rest, and describes it to the generator in lines. */
    default Opened open() throws IOException {
        return new Opened(residentBytes(), List.of());
    }

    /** Heap after collections, if the server exposes it. */
    default List<HeapSample> heap() throws IOException {
        return List.of();
    }

    /** Collects the whole heap, so that {@link #heap} has its live size; no effect without one. */
    default void collect() throws IOException {}

    /** Resident memory of all its processes. */
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
     * The result of opening.
     *
     * @param residentBytesBefore memory of the server before there were streams
     * @param lines               lines for the generator before it starts
     */
    record Opened(long residentBytesBefore, List<String> lines) {}

    /**
     * Used bytes of the heap after a collection.
     *
     * @param live whether the whole heap was collected, so that all of it is live
     */
    record HeapSample(long timeMs, long usedBytes, boolean live) {}

    /** A server of a single process, started before the generator. */
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
