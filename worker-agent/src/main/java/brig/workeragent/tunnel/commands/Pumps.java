package brig.workeragent.tunnel.commands;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that wait for pipes of processes: a virtual one would keep its carrier from all others. */
final class Pumps {
    private static final int STACK_BYTES = 256 * 1024;
    private static final ExecutorService THREADS = Executors.newCachedThreadPool(Thread.ofPlatform()
            .daemon()
            .stackSize(STACK_BYTES)
            .name("brig-tunnel-", 0)
            .factory());

    private Pumps() {}

    static void start(Runnable pump) {
        THREADS.execute(pump);
    }

    /** One whose end somebody waits for. */
    static Future<?> submit(Runnable pump) {
        return THREADS.submit(pump);
    }

    static void drain(InputStream from) {
        byte[] buffer = new byte[4096];
        try {
            int read = 0;
            while (read >= 0) read = from.read(buffer);
        } catch (IOException closed) {
            return;
        }
    }
}
