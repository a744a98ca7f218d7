package brig.cli.vm;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of an unpacked package of a kernel. The kernel of a machine is not packed: unpacking it in the machine would take
 * most of the time that it needs to boot.
 *
 * <p>Decision 0210.
 *
 * @param root of the package
 */
public record KernelPackage(Path root) {
    /** What a machine needs: virtio, its serial port, and 9p. */
    private static final List<String> MODULES = List.of("virtio_pci", "virtio_console", "9pnet_virtio", "9p");

    private static final Pattern DEPENDS = Pattern.compile("\0depends=([^\0]*)\0");
    /** How a packed kernel or module begins, and what unpacks it. */
    private static final Map<String, List<String>> PACKED = Map.of(
            "\u00fd7zXZ\0", List.of("xz", "-dc"),
            "(\u00b5/\u00fd", List.of("zstd", "-dc"),
            "\u001f\u008b\b", List.of("gzip", "-dc"));

    private static final byte[] ELF = {0x7f, 'E', 'L', 'F'};
    private static final int PACKED_MAX = 64 << 20;
    private static final int UNPACKED_MAX = 512 << 20;

    /**
     * Writes {@code vmlinux} and {@code initrd}, each at once.
     *
     * @param programs the folder with brig-guest and brig-init
     * @throws BrigException if the package is not one of a kernel that serves
     */
    public void writeTo(Path folder, Path programs) throws IOException {
        replace(folder.resolve("vmlinux"), out -> out.write(kernel()));
        replace(folder.resolve("initrd"), out -> writeInitialFiles(out, programs));
    }

    private interface Writing {
        void to(OutputStream out) throws IOException;
    }

    private static void replace(Path target, Writing writing) throws IOException {
        Path unfinished = Files.createTempFile(target.getParent(), "." + target.getFileName(), "");
        try {
            try (OutputStream out = Files.newOutputStream(unfinished)) {
                writing.to(out);
            }
            Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rw-r--r--"));
            Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    private byte[] kernel() throws IOException {
        Path packed = find("vmlinuz-.*");
        byte[] all = read(packed);
        String text = new String(all, StandardCharsets.ISO_8859_1);
        for (Map.Entry<String, List<String>> kind : PACKED.entrySet()) {
            for (int at = text.indexOf(kind.getKey()); at >= 0; at = text.indexOf(kind.getKey(), at + 1)) {
                byte[] kernel = unpacked(kind.getValue(), all, at);
                if (startsWith(kernel, ELF)) {
                    return kernel;
                }
            }
        }
        throw refused(packed + " holds no kernel that xz, zstd or gzip can unpack: is that program installed?");
    }

    private static boolean startsWith(byte[] all, byte[] beginning) {
        return all.length > beginning.length && Arrays.equals(all, 0, beginning.length, beginning, 0, beginning.length);
    }

    private void writeInitialFiles(OutputStream out, Path programs) throws IOException {
        Set<String> order = new LinkedHashSet<>();
        try (var files = new InitialFiles(out)) {
            // Where the kernel opens its console before brig-guest runs.
            files.folder("dev");
            files.file("init", Files.readAllBytes(programs.resolve("brig-guest")), 0755);
            files.file("brig-init", Files.readAllBytes(programs.resolve("brig-init")), 0755);
            for (String module : MODULES) {
                addModule(files, order, module);
            }
            String names = String.join(
                    "\n", order.stream().map(name -> "/" + name + ".ko").toList());
            files.file("modules", names.getBytes(StandardCharsets.US_ASCII), 0644);
        }
    }

    /** After those that it depends on. */
    private void addModule(InitialFiles files, Set<String> order, String name) throws IOException {
        if (order.contains(name)) {
            return;
        }
        byte[] module = module(name);
        Matcher depends = DEPENDS.matcher(new String(module, StandardCharsets.ISO_8859_1));
        if (depends.find()) {
            for (String other : depends.group(1).split(",", -1)) {
                if (!other.isEmpty()) {
                    addModule(files, order, other);
                }
            }
        }
        order.add(name);
        files.file(name + ".ko", module, 0644);
    }

    private byte[] module(String name) throws IOException {
        Path file = find(name.replaceAll("[-_]", "[-_]") + "\\.ko(\\.xz|\\.zst|\\.gz)?");
        byte[] all = read(file);
        String text = new String(all, StandardCharsets.ISO_8859_1);
        for (Map.Entry<String, List<String>> kind : PACKED.entrySet()) {
            if (text.startsWith(kind.getKey())) {
                return unpacked(kind.getValue(), all, 0);
            }
        }
        return all;
    }

    private Path find(String name) throws IOException {
        Pattern pattern = Pattern.compile(name);
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(Files::isRegularFile)
                    .filter(file ->
                            pattern.matcher(file.getFileName().toString()).matches())
                    .findFirst()
                    .orElseThrow(() -> refused("the package has no " + name
                            + ": it must be a distribution's kernel with modules for virtio"
                            + " and 9p (Debian's linux-image-amd64; the one for clouds has no 9p)"));
        }
    }

    private static byte[] read(Path file) throws IOException {
        if (Files.size(file) > PACKED_MAX) {
            throw refused(file + " is larger than " + PACKED_MAX + " bytes");
        }
        return Files.readAllBytes(file);
    }

    /** What follows the packed part is not asked for. Empty if it cannot be unpacked. */
    private static byte[] unpacked(List<String> command, byte[] all, int from) throws IOException {
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException missing) {
            return new byte[0];
        }
        Thread.ofVirtual().start(() -> {
            try (OutputStream in = process.getOutputStream()) {
                in.write(all, from, all.length - from);
            } catch (IOException ended) {
                // It has read as much as it wants.
            }
        });
        try (InputStream out = process.getInputStream()) {
            return out.readNBytes(UNPACKED_MAX);
        } finally {
            process.destroyForcibly();
        }
    }

    private static BrigException refused(String why) {
        return new BrigException(ErrorCode.NOT_FOUND, why);
    }
}
