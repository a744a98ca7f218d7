package brig.gateway.e2e;

import brig.workeragent.TestFolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What the product under test brings to hosts, made and unpacked once for all tests: that takes as long as a test. */
final class Payloads {
    private static final String PROGRAM = Path.of(System.getProperty("brig.product", "build/brig"), "lib/host/payload")
            .toAbsolutePath()
            .toString();
    private static final long MAKE_SECONDS = 180;

    private static Payloads made;

    private final Path folder = Files.createTempDirectory("brig-payload-");
    private final String version;
    private final Path archive;

    private Payloads() throws IOException {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> TestFolders.deleteLeft(folder)));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        version = said(List.of(PROGRAM, "version")).strip();
        archive = folder.resolve(version + ".tar.gz");
        said(List.of(PROGRAM, "make", archive.toString()));
        said(List.of("tar", "-xzf", archive.toString(), "-C", folder.toString()));
    }

    private String said(List<String> command) throws IOException {
        Run run = Run.of(command, "", folder, MAKE_SECONDS);
        if (run.exitCode() != 0) {
            throw new AssertionError(run);
        }
        return run.out();
    }

    private static synchronized Payloads get() throws IOException {
        if (made == null) {
            made = new Payloads();
        }
        return made;
    }

    static String version() throws IOException {
        return get().version;
    }

    static Path archive() throws IOException {
        return get().archive;
    }

    /** Where it is unpacked, in a folder of its version. */
    static Path unpacked() throws IOException {
        return get().folder;
    }

    /** Lets a gateway that is not started yet find it made. */
    static void keepFor(Product product) throws IOException {
        Path kept = Files.createDirectories(
                product.folder().resolve("state/host-payload"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.createLink(kept.resolve(archive().getFileName()), archive());
    }

    /** Starts a gateway that finds it made. */
    static Product start() throws IOException {
        Product product = Product.prepare(Map.of());
        try {
            keepFor(product);
            product.serve();
            return product;
        } catch (IOException | RuntimeException | AssertionError e) {
            product.close();
            throw e;
        }
    }

    /** Unpacks it in the home of a host's user, where a gateway has brought it before. The files are shared with other hosts. */
    static void unpackOn(SshHost host) throws IOException {
        hasten(host);
        Path versions = host.home().resolve(".brig/versions");
        Files.createDirectories(versions);
        Path to = versions.resolve(version());
        Path from = get().folder.resolve(version());
        get().said(List.of("cp", "-al", from.toString(), to.toString()));
        // A lock on it says that this host's worker-agent runs from it.
        Path lock = to.resolve("lib/requires");
        Files.delete(lock);
        Files.copy(from.resolve("lib/requires"), lock);
        for (Path mine : List.of(versions.getParent(), versions, lock)) {
            host.give(mine);
        }
        try (Stream<Path> folders = Files.find(to, Integer.MAX_VALUE, (path, is) -> is.isDirectory())) {
            for (Path mine : folders.toList()) {
                host.give(mine);
            }
        }
    }

    /** Lets the worker-agent there start as the tests start Java: a command by ssh reads this file. */
    static void hasten(SshHost host) throws IOException {
        String options = System.getenv("BRIG_WORKER_AGENT_JAVA_OPTS");
        Path file = host.home().resolve(".bashrc");
        Files.writeString(file, options == null ? "" : "export BRIG_WORKER_AGENT_JAVA_OPTS='" + options + "'\n");
        host.give(file);
    }
}
