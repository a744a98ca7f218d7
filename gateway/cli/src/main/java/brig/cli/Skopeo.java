package brig.cli;

import brig.project.ImageReference;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Fetches images with the program skopeo: as the user who calls, with that user's credentials, into an OCI layout. A registry
 * may answer anything: all that skopeo writes is in one folder, whose size is watched.
 *
 * <p>Decision 0208.
 *
 * @param bytesMax of that folder
 * @param timeoutMs of each run
 */
record Skopeo(String program, long bytesMax, long timeoutMs) {
    private static final int COMPLAINT_MAX = 500;
    private static final int MANIFEST_BYTES_MAX = 4 << 20;
    private static final long LOOK_MS = 100;
    private static final String LAYOUT = "layout";

    /** @param source pinned, if it is in a registry */
    record Fetched(Path layout, ImageReference source) {}

    /** @param work an empty folder; what fails leaves something in it */
    Fetched fetch(ImageReference image, Path work) throws IOException {
        ImageReference pinned = image.isInRegistry() && image.digest() == null ? pinned(image, work) : image;
        Path layout = work.resolve(LAYOUT);
        run(work, List.of("copy", "--quiet", pinned.forSkopeo(), "oci:" + layout + ":image"));
        makeReadable(layout);
        return new Fetched(layout, pinned);
    }

    /** What the tag means now is asked once, and fetched by its digest. */
    private ImageReference pinned(ImageReference image, Path work) throws IOException {
        Path manifest = run(work, List.of("inspect", "--raw", image.forSkopeo()));
        if (Files.size(manifest) > MANIFEST_BYTES_MAX) {
            throw invalid("its manifest is larger than " + MANIFEST_BYTES_MAX + " bytes");
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(manifest));
            return image.pinnedTo("sha256:" + HexFormat.of().formatHex(digest));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** @return the file with what it printed */
    private Path run(Path work, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(program, "--tmpdir", work.toString()));
        command.addAll(arguments);
        Path printed = work.resolve("printed");
        Path complaint = work.resolve("complaint");
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .redirectInput(Path.of("/dev/null").toFile())
                    .redirectOutput(printed.toFile())
                    .redirectError(complaint.toFile())
                    .start();
        } catch (IOException missing) {
            throw new BrigException(
                    ErrorCode.NOT_FOUND,
                    program + " cannot be run: " + Reason.of(missing)
                            + ". Debian and Ubuntu have it: apt install skopeo. Or fetch the image elsewhere, and take it in with"
                            + " --from FOLDER");
        }
        Thread end = Thread.ofPlatform().name("brig-skopeo-end").unstarted(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(end);
        try {
            watch(process, work);
        } finally {
            process.destroyForcibly().onExit().join();
            Runtime.getRuntime().removeShutdownHook(end);
        }
        if (process.exitValue() != 0) {
            throw invalid("skopeo says: " + beginning(complaint));
        }
        return printed;
    }

    private void watch(Process process, Path work) throws IOException {
        long start = System.nanoTime();
        boolean isOver = false;
        while (!isOver) {
            try {
                isOver = process.waitFor(LOOK_MS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new BrigException(ErrorCode.INTERNAL, "interrupted");
            }
            if (size(work) > bytesMax) {
                throw invalid("it is larger than " + bytesMax + " bytes (worker.images.bytesMax)");
            }
            if (!isOver && System.nanoTime() - start > TimeUnit.MILLISECONDS.toNanos(timeoutMs)) {
                throw invalid("skopeo did not fetch it within " + timeoutMs / 1000 + " seconds (--timeout)");
            }
        }
    }

    /** Of the files; those that vanish meanwhile do not count. */
    private static long size(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.mapToLong(Skopeo::sizeOf).sum();
        } catch (UncheckedIOException vanished) {
            if (vanished.getCause() instanceof NoSuchFileException) {
                return 0;
            }
            throw vanished.getCause();
        }
    }

    private static long sizeOf(Path file) {
        try {
            return Files.isRegularFile(file) ? Files.size(file) : 0;
        } catch (IOException vanished) {
            return 0;
        }
    }

    private static String beginning(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            String text = new String(in.readNBytes(COMPLAINT_MAX), StandardCharsets.UTF_8).strip();
            return text.isEmpty() ? "nothing" : text;
        }
    }

    /** The unpacker runs as another user where the worker-agent is a service, whatever this user's umask is. */
    private static void makeReadable(Path layout) throws IOException {
        try (Stream<Path> all = Files.walk(layout)) {
            for (Path each : all.toList()) {
                Files.setPosixFilePermissions(
                        each, PosixFilePermissions.fromString(Files.isDirectory(each) ? "rwxr-xr-x" : "rw-r--r--"));
            }
        }
    }

    private static BrigException invalid(String why) {
        return new BrigException(ErrorCode.INVALID_IMAGE, "the image cannot be fetched: " + why);
    }
}
