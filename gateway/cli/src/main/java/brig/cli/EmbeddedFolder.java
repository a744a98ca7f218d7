package brig.cli;

import brig.gateway.config.Paths;
import brig.protocol.BrigException;
import brig.protocol.control.ControlCall;
import brig.protocol.control.ControlRequest;
import brig.protocol.control.LinkPurpose;
import brig.protocol.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Comparator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of a gateway that one command starts for itself, {@code brig-<random>} among the temporary files. The
 * command holds a lock on a marker file in it, which the kernel releases when the command dies. So a folder of ours
 * with an unlocked marker was left by a killed command: nobody can adopt its workers, and the next command ends them
 * and deletes it.
 */
final class EmbeddedFolder implements AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(EmbeddedFolder.class);
    private static final String PREFIX = "brig-";
    private static final String MARKER = "embedded";
    private static final SecureRandom RANDOM = new SecureRandom();
    /** As long as a worker takes that resists its end; what is left is up to the next command. */
    private static final Duration SWEEP_MAX = Duration.ofSeconds(5);

    private final Path path;
    /** Open until the end of the command: closing it releases the lock. */
    private final FileChannel marker;

    private final Thread sweeper;

    private EmbeddedFolder(Path path, FileChannel marker, Thread sweeper) {
        this.path = path;
        this.marker = marker;
        this.sweeper = sweeper;
    }

    /** Creates one for this command, and begins to remove leftovers of killed commands. */
    static EmbeddedFolder open(Path temporary) throws IOException {
        Path path = create(temporary);
        // Renamed only once it is locked, so that no other command sees an unlocked marker.
        Path unlocked = path.resolve(MARKER + ".new");
        FileChannel marker = FileChannel.open(unlocked, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        marker.lock();
        Files.move(unlocked, path.resolve(MARKER), StandardCopyOption.ATOMIC_MOVE);
        Thread sweeper = Thread.ofPlatform().daemon().name("brig-sweep").start(() -> sweep(temporary, path));
        return new EmbeddedFolder(path, marker, sweeper);
    }

    /** At most seven characters: a socket path is limited to 107, and three folders follow. */
    private static Path create(Path temporary) throws IOException {
        while (true) {
            Path path = temporary.resolve(PREFIX + Integer.toUnsignedString(RANDOM.nextInt(), 36));
            try {
                return Paths.makePassable(Files.createDirectory(path));
            } catch (FileAlreadyExistsException e) {
                logger.debug("{} exists", path);
            }
        }
    }

    Path path() {
        return path;
    }

    /** Opening and closing our own marker again would release our lock. */
    private static void sweep(Path temporary, Path own) {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(temporary, PREFIX + "*")) {
            for (Path folder : folders) {
                if (!folder.equals(own) && isOurs(folder) && isOurs(folder.resolve(MARKER))) {
                    removeLeft(folder);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            logger.info("cannot look for leftovers of killed commands: {}", e.toString());
        }
    }

    /** Owned by us and not a link. */
    private static boolean isOurs(Path file) throws IOException {
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS)
                && !Files.isSymbolicLink(file)
                && Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS)
                        .equals(Paths.ownUid());
    }

    private static void removeLeft(Path folder) {
        try (FileChannel marker =
                FileChannel.open(folder.resolve(MARKER), StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            if (marker.tryLock() != null) {
                endWorkers(folder);
                remove(folder);
            }
        } catch (IOException | BrigException e) {
            logger.info("{} stays for now: {}", folder, e.toString());
        }
    }

    /** The worker-agent outlives its gateway. It closes the connection when it ends. */
    private static void endWorkers(Path folder) {
        try (GatewayClient workerAgent = GatewayClient.connect(folder.resolve("run/w/link.sock"))) {
            workerAgent.send(Json.writeLine(new LinkPurpose.Control()));
            workerAgent.send(Json.writeLine(new ControlCall(1L, new ControlRequest.Shutdown())));
            workerAgent.nextLine();
            workerAgent.nextLine();
        } catch (IOException nobodyListens) {
            logger.debug("no worker-agent in {}", folder);
        }
    }

    /** The marker last, so that an interrupted removal is continued by a later command. */
    private static void remove(Path folder) throws IOException {
        Path marker = folder.resolve(MARKER);
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                if (!file.equals(marker) && !file.equals(folder)) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        Files.deleteIfExists(marker);
        Files.deleteIfExists(folder);
    }

    @Override
    public void close() throws IOException {
        try (marker) {
            sweeper.join(SWEEP_MAX);
            remove(path);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
