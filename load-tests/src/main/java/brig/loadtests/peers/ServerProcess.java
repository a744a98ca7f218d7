package brig.loadtests.peers;

import brig.loadtests.engine.Children;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The server process of a run, with its output in a file; ended with the run.
 *
 * <p>Decision 0109.
 */
final class ServerProcess implements AutoCloseable {
    private static final long START_MS_MAX = 20_000;
    private static final long RETRY_MS = 20;
    private static final long STOP_SECONDS = 5;

    private final String name;
    private final Path log;
    private final Process process;

    private ServerProcess(String name, Path log, Process process) {
        this.name = name;
        this.log = log;
        this.process = process;
    }

    static ServerProcess start(Path folder, String name, List<String> command) throws IOException {
        Path log = folder.resolve(name + ".log");
        Process process = Children.start(
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()));
        return new ServerProcess(name, log, process);
    }

    /** Waits until it accepts connections. @throws IOException with its output if it does not */
    ServerProcess awaitPort(int port) throws IOException {
        return await(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    /** The same on a Unix socket. */
    ServerProcess awaitSocket(Path socket) throws IOException {
        return await(UnixDomainSocketAddress.of(socket));
    }

    private ServerProcess await(SocketAddress address) throws IOException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(START_MS_MAX);
        while (true) {
            try {
                SocketChannel.open(address).close();
                return this;
            } catch (IOException refused) {
                if (endsWithin(RETRY_MS) || System.nanoTime() > end) {
                    String words = Files.readString(log).strip();
                    close();
                    throw new IOException(name + " does not listen: " + words, refused);
                }
            }
        }
    }

    private boolean endsWithin(long ms) {
        try {
            return process.waitFor(ms, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    long pid() {
        return process.pid();
    }

    /** Waits for the child process that does its work. @throws IOException if there is none */
    long awaitChild() throws IOException {
        Path children = Path.of("/proc/" + pid() + "/task/" + pid() + "/children");
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(START_MS_MAX);
        String pids = Files.readString(children).strip();
        while (pids.isEmpty()) {
            if (endsWithin(RETRY_MS) || System.nanoTime() > end) {
                throw new IOException(name + " has no worker process: "
                        + Files.readString(log).strip());
            }
            pids = Files.readString(children).strip();
        }
        return Long.parseLong(pids.split(" ", 2)[0]);
    }

    @Override
    public void close() {
        process.destroy();
        if (!endsWithin(TimeUnit.SECONDS.toMillis(STOP_SECONDS))) {
            process.destroyForcibly();
        }
    }
}
