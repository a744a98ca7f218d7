package brig.workeragent.sandbox;

import brig.workeragent.sandbox.SandboxException.Code;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The virtual machine from which those of all walls go on: booted once, until it waits for an order, and kept in a folder
 * ({@code brig-vm.c}). It is made again when QEMU, the kernel or the settings change. Thread-safe.
 *
 * <p>Decision 0210.
 */
public final class MachineImage {
    /**
     * What machines are made of.
     *
     * @param qemu QEMU's program; absolute
     * @param folder with {@code vmlinux} and {@code initrd}, as {@code brig vm image} makes them; images are made below it
     * @param programs the build's folder with brig-vm
     * @param mebibytes memory of a machine, most of it for the worker
     */
    public record Settings(Path qemu, Path folder, Path programs, int mebibytes, int processors) {}

    /** @param kvm whether the host's processor runs it, and not QEMU in its stead */
    public record Image(Path folder, boolean kvm) {}

    /** Where Debian installs it. */
    public static final Path QEMU = Path.of("/usr/bin/qemu-system-x86_64");

    private static final Path KVM = Path.of("/dev/kvm");
    private static final String PREFIX = "machine-";
    private static final int KEY_LENGTH = 16;
    private static final int BOOT_SECONDS = 120;
    private static final int OUTPUT_MAX = 2000;

    private final Settings settings;
    private @Nullable Image image;
    private String imageKey = "";

    public MachineImage(Settings settings) {
        this.settings = settings;
    }

    /**
     * The image, which is made first if there is none of what is installed now.
     *
     * @throws SandboxException {@code WALL_UNAVAILABLE} with the mend
     */
    public synchronized Image require() throws SandboxException {
        try {
            String key = key();
            Image known = image;
            if (known == null || !key.equals(imageKey) || !Files.exists(known.folder())) {
                known = find(key);
                image = known;
                imageKey = key;
            }
            return known;
        } catch (IOException | UncheckedIOException e) {
            throw unavailable("the image of machines in " + settings.folder() + " cannot be made: " + e.getMessage());
        }
    }

    /** For the operator: what runs the machines, and why not the processor. */
    public synchronized String accelerator() {
        return image != null && image.kvm() ? "KVM" : "slow: no KVM, as " + whyNoKvm();
    }

    private static String whyNoKvm() {
        return Files.exists(KVM)
                ? KVM + " is not open to the workers' user (chmod 666 " + KVM + ")"
                : "there is no " + KVM;
    }

    private Image find(String key) throws IOException, SandboxException {
        Path made = settings.folder().resolve(PREFIX + key);
        boolean kvm = hasKvm();
        if (!Files.exists(made)) {
            make(made, kvm);
            removeOthers(made);
        }
        return new Image(made, kvm);
    }

    private static boolean hasKvm() throws IOException {
        return Files.exists(KVM)
                && PosixFilePermissions.toString(Files.getPosixFilePermissions(KVM))
                        .endsWith("rw-");
    }

    /** Names all that an image depends on. */
    private String key() throws IOException, SandboxException {
        if (!"amd64".equals(System.getProperty("os.arch"))) {
            throw unavailable("virtual machines are for x86-64 hosts only");
        }
        if (!Files.isExecutable(settings.qemu())) {
            throw unavailable("there is no QEMU at " + settings.qemu()
                    + ": install it (Debian: apt-get install qemu-system-x86), or set worker.vm.qemu to its path");
        }
        var text = new StringBuilder();
        for (Path part : List.of(
                settings.qemu(),
                settings.folder().resolve("vmlinux"),
                settings.folder().resolve("initrd"),
                settings.programs().resolve("brig-vm"))) {
            if (!Files.exists(part)) {
                throw unavailable("there is no kernel for virtual machines at " + part + ": run brig vm image");
            }
            text.append(part).append(Files.getLastModifiedTime(part)).append(Files.size(part));
        }
        text.append(settings.mebibytes())
                .append(' ')
                .append(settings.processors())
                .append(hasKvm());
        return sha256(text.toString()).substring(0, KEY_LENGTH);
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** In a folder of its own first, so that nobody goes on from half an image. */
    private void make(Path made, boolean kvm) throws IOException, SandboxException {
        Path unfinished = Files.createTempDirectory(settings.folder(), "making-");
        try {
            for (String part : List.of("vmlinux", "initrd")) {
                Files.createSymbolicLink(
                        unfinished.resolve(part),
                        settings.folder().resolve(part).toAbsolutePath());
            }
            boot(unfinished, kvm);
            Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.move(unfinished, made, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            remove(unfinished);
        }
    }

    private void boot(Path folder, boolean kvm) throws IOException, SandboxException {
        var builder = new ProcessBuilder(
                        settings.programs().resolve("brig-vm").toString(),
                        "make",
                        settings.qemu().toString(),
                        folder.toString(),
                        Integer.toString(settings.mebibytes()),
                        Integer.toString(settings.processors()),
                        kvm ? "kvm" : "tcg")
                .redirectErrorStream(true);
        builder.environment().keySet().retainAll(List.of("PATH"));
        Path said = folder.resolve("said");
        Process process = builder.redirectOutput(said.toFile()).start();
        try {
            if (!process.waitFor(BOOT_SECONDS, TimeUnit.SECONDS)) {
                throw unavailable("the virtual machine does not boot within " + BOOT_SECONDS + " s" + console(folder));
            }
            if (process.exitValue() != 0) {
                throw unavailable("the virtual machine does not boot: " + beginning(said) + console(folder));
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw unavailable("the worker-agent is being stopped");
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static String console(Path folder) throws IOException {
        Path console = folder.resolve("console");
        return Files.exists(console) ? "; its console: " + beginning(console) : "";
    }

    private static String beginning(Path file) throws IOException {
        try (var in = Files.newInputStream(file)) {
            return new String(in.readNBytes(OUTPUT_MAX), StandardCharsets.UTF_8).strip();
        }
    }

    /** Machines that run keep what they have mapped. */
    private void removeOthers(Path made) throws IOException {
        try (Stream<Path> all = Files.list(settings.folder())) {
            for (Path other : all.filter(each -> each.getFileName().toString().startsWith(PREFIX))
                    .filter(each -> !each.equals(made))
                    .toList()) {
                remove(other);
            }
        }
    }

    private static void remove(Path folder) throws IOException {
        if (!Files.exists(folder)) return;
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(each);
        }
    }

    private static SandboxException unavailable(String why) {
        return new SandboxException(Code.WALL_UNAVAILABLE, why);
    }
}
