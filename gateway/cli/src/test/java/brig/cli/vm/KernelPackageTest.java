package brig.cli.vm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelPackageTest {
    private static final byte[] KERNEL = "\u007fELF and what follows".getBytes(StandardCharsets.ISO_8859_1);
    private static final int HEAD = 110;

    @TempDir
    Path folder;

    private Path root;
    private Path programs;
    private Path made;

    @BeforeEach
    void lay() throws IOException {
        root = Files.createDirectories(folder.resolve("root"));
        programs = Files.createDirectories(folder.resolve("programs"));
        made = Files.createDirectories(folder.resolve("made"));
        Files.writeString(programs.resolve("brig-guest"), "guest");
        Files.writeString(programs.resolve("brig-init"), "init");
        Files.createDirectories(root.resolve("boot"));
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        // A packed part that is no kernel comes first.
        all.write("boot code".getBytes(StandardCharsets.US_ASCII));
        all.write(packed("something else".getBytes(StandardCharsets.US_ASCII)));
        all.write(packed(KERNEL));
        all.write("after it".getBytes(StandardCharsets.US_ASCII));
        Files.write(root.resolve("boot/vmlinuz-6.1"), all.toByteArray());
        module("virtio_ring", "", false);
        module("virtio", "virtio_ring", false);
        module("virtio_pci", "virtio_ring,virtio", true);
        module("virtio_console", "virtio", false);
        module("9pnet", "", false);
        module("9pnet_virtio", "virtio,9pnet", false);
        module("9p", "9pnet", true);
    }

    private static byte[] packed(byte[] content) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (var out = new GZIPOutputStream(all)) {
            out.write(content);
        }
        return all.toByteArray();
    }

    private void module(String name, String depends, boolean isPacked) throws IOException {
        Path at = Files.createDirectories(root.resolve("lib/modules/6.1/kernel/" + name));
        byte[] content = ("module " + name + "\0depends=" + depends + "\0").getBytes(StandardCharsets.US_ASCII);
        Files.write(at.resolve(name + (isPacked ? ".ko.gz" : ".ko")), isPacked ? packed(content) : content);
    }

    /** Reads what the kernel would. */
    private static Map<String, String> files(Path archive) throws IOException {
        String all = Files.readString(archive, StandardCharsets.ISO_8859_1);
        Map<String, String> files = new LinkedHashMap<>();
        for (int at = 0; ; ) {
            assertEquals("070701", all.substring(at, at + 6));
            int size = Integer.parseInt(all.substring(at + 54, at + 62), 16);
            int nameSize = Integer.parseInt(all.substring(at + 94, at + 102), 16);
            String name = all.substring(at + HEAD, at + HEAD + nameSize - 1);
            if (name.equals("TRAILER!!!")) {
                return files;
            }
            at += aligned(HEAD + nameSize);
            files.put(name, all.substring(at, at + size));
            at += aligned(size);
        }
    }

    private static int aligned(int length) {
        return (length + 3) / 4 * 4;
    }

    @Test
    void shouldUnpackKernelAndOrderModules() throws IOException {
        new KernelPackage(root).writeTo(made, programs);
        assertArrayEquals(KERNEL, Files.readAllBytes(made.resolve("vmlinux")));
        Map<String, String> files = files(made.resolve("initrd"));
        assertEquals("guest", files.get("init"));
        assertEquals("init", files.get("brig-init"));
        List<String> order = new ArrayList<>(files.get("modules").lines().toList());
        assertEquals(
                List.of(
                        "/virtio_ring.ko",
                        "/virtio.ko",
                        "/virtio_pci.ko",
                        "/virtio_console.ko",
                        "/9pnet.ko",
                        "/9pnet_virtio.ko",
                        "/9p.ko"),
                order);
        assertTrue(files.get("9p.ko").startsWith("module 9p\0"), "it is unpacked");
    }

    @Test
    void shouldSayWhichPackageServesWhenAModuleIsMissing() throws IOException {
        Files.delete(root.resolve("lib/modules/6.1/kernel/9p/9p.ko.gz"));
        BrigException refusal =
                assertThrows(BrigException.class, () -> new KernelPackage(root).writeTo(made, programs));
        assertTrue(refusal.getMessage().contains("linux-image-amd64"), refusal::getMessage);
    }

    @Test
    void shouldRefuseAPackageWithoutAKernelThatItKnows() throws IOException {
        Files.writeString(root.resolve("boot/vmlinuz-6.1"), "no kernel at all");
        BrigException refusal =
                assertThrows(BrigException.class, () -> new KernelPackage(root).writeTo(made, programs));
        assertTrue(refusal.getMessage().contains("holds no kernel"), refusal::getMessage);
        try (var left = Files.list(made)) {
            assertEquals(0, left.count(), "nothing unfinished is left");
        }
    }
}
