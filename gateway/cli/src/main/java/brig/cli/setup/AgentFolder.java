package brig.cli.setup;

import brig.cli.install.Installation;
import brig.gateway.config.Paths;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The agents of one user that {@code brig setup} installed: a folder {@code NAME-VERSION} for each, which appears whole.
 * Worker-agents look there before the {@code PATH}.
 *
 * <p>Decision 0201.
 */
public final class AgentFolder {
    private static final String UNFINISHED = ".new";
    private static final String MODULES = "node_modules";

    private final Path folder;

    public AgentFolder() {
        this(Paths.xdg("XDG_DATA_HOME", ".local/share").resolve("brig/agents"));
    }

    AgentFolder(Path folder) {
        this.folder = folder;
    }

    public Path path() {
        return folder;
    }

    private Path place(PinnedAgent agent) {
        return folder.resolve(agent.name() + "-" + agent.version());
    }

    private static @Nullable Path program(Path place, PinnedAgent agent) {
        return agent.programs().stream()
                .map(program -> place.resolve(MODULES).resolve(program))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
    }

    /** The program of the tried version; null if it is not here. */
    public @Nullable Path program(PinnedAgent agent) {
        return program(place(agent), agent);
    }

    public boolean isThere() {
        return Files.exists(folder, LinkOption.NOFOLLOW_LINKS);
    }

    /** Keeps other commands from setting up too. Closing leaves nothing of it. */
    public final class Lock implements AutoCloseable {
        private final FileChannel channel;

        private Lock(FileChannel channel) {
            this.channel = channel;
            Runtime.getRuntime()
                    .addShutdownHook(Thread.ofPlatform().name("brig-setup-lock").unstarted(this::release));
        }

        private synchronized void release() {
            try (channel) {
                // Without the lock it is somebody else's.
                if (channel.isOpen()) {
                    Files.deleteIfExists(lockFile());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            release();
        }
    }

    private Path lockFile() {
        return folder.resolveSibling("setup.lock");
    }

    public Lock lock() {
        Path file = lockFile();
        try {
            Files.createDirectories(file.getParent());
            while (true) {
                FileChannel channel = tried(file);
                if (channel != null) {
                    return new Lock(channel);
                }
            }
        } catch (IOException e) {
            throw new BrigException(ErrorCode.FORBIDDEN, "cannot write to " + file + ": " + Reason.of(e));
        }
    }

    /**
     * The file must not be opened a second time: to close that would give the lock away.
     *
     * @return null if whoever had it removed the file that was opened
     */
    private static @Nullable FileChannel tried(Path file) throws IOException {
        FileChannel channel = null;
        try {
            FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)
                    .close();
        } catch (FileAlreadyExistsException there) {
            // Of another process, or left by one that was killed.
        }
        try {
            Object before = Files.getAttribute(file, "unix:ino");
            channel = FileChannel.open(file, StandardOpenOption.WRITE);
            if (!isFree(channel)) {
                throw new BrigException(
                        ErrorCode.ALREADY_RUNNING, "another 'brig setup' runs, or waits for an answer: end it first");
            }
            if (before.equals(Files.getAttribute(file, "unix:ino"))) {
                FileChannel held = channel;
                channel = null;
                return held;
            }
            return null;
        } catch (NoSuchFileException removed) {
            return null;
        } finally {
            if (channel != null) {
                channel.close();
            }
        }
    }

    private static boolean isFree(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException ofThisProcess) {
            return false;
        }
    }

    /**
     * Installs the tried version. An end in the middle leaves nothing of it.
     *
     * @throws BrigException with the cause and the remedy
     */
    public void install(PinnedAgent agent, Npm npm) throws IOException {
        Path unfinished = folder.resolve(UNFINISHED);
        // Left by a kill.
        Installation.delete(unfinished);
        Path fresh = Files.createDirectories(unfinished.resolve(agent.name()));
        Thread atExit = Thread.ofPlatform().name("brig-setup-undo").unstarted(() -> {
            npm.end();
            discard(unfinished);
        });
        Runtime.getRuntime().addShutdownHook(atExit);
        try {
            npm.install(agent, fresh);
            if (program(fresh, agent) == null) {
                throw Npm.failure(agent, "npm installed no program for this processor");
            }
            Path place = Files.createDirectories(place(agent));
            Installation.delete(place.resolve(MODULES));
            Files.move(fresh.resolve(MODULES), place.resolve(MODULES), StandardCopyOption.ATOMIC_MOVE);
        } finally {
            discard(unfinished);
            try {
                Runtime.getRuntime().removeShutdownHook(atExit);
            } catch (IllegalStateException ending) {
                awaitEnd(ending);
            }
        }
    }

    private void discard(Path unfinished) {
        synchronized (folder) {
            try {
                Installation.delete(unfinished);
                if (isThere() && isEmpty()) {
                    Files.delete(folder);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private boolean isEmpty() throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.findAny().isEmpty();
        }
    }

    /** What is in the way of a signal's end has nothing more to say. */
    private static void awaitEnd(IllegalStateException ending) {
        try {
            Thread.currentThread().join();
        } catch (InterruptedException e) {
            throw ending;
        }
    }

    /** The bytes of what is being installed. */
    public long progress() {
        try (Stream<Path> files = Files.walk(folder.resolve(UNFINISHED))) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        } catch (IOException | UncheckedIOException changedMeanwhile) {
            return 0;
        }
    }

    /** Removes other versions of it. */
    public void removeOthers(PinnedAgent agent) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, agent.name() + "-*")) {
            for (Path one : all) {
                if (!one.equals(place(agent))) {
                    Installation.delete(one);
                }
            }
        }
    }

    /** Removes all. */
    public void remove() throws IOException {
        Installation.delete(folder);
    }
}
