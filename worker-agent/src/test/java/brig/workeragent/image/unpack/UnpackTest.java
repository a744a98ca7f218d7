package brig.workeragent.image.unpack;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.workeragent.image.TestImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Layers become files, and never files elsewhere, whatever they say. */
class UnpackTest {
    private static final long BYTES_MAX = 1 << 20;
    private static final long FILES_MAX = 1000;

    @TempDir
    Path folder;

    private Path layout;
    private Path root;
    private Path outside;

    @BeforeEach
    void make() throws IOException {
        layout = folder.resolve("layout");
        root = Files.createDirectory(folder.resolve("root"));
        outside = Files.createDirectory(folder.resolve("outside"));
        Files.writeString(outside.resolve("kept"), "kept");
    }

    private Unpacked unpack(Path source, String... covered) {
        return Unpack.unpack(source, root, new Bounds(BYTES_MAX, FILES_MAX), List.of(covered));
    }

    private Unpacked unpack(TestImage image, String... covered) throws IOException {
        image.write(layout);
        return unpack(layout, covered);
    }

    private String read(String path) throws IOException {
        return Files.readString(root.resolve(path));
    }

    private void requireOutsideUntouched() throws IOException {
        assertEquals("kept", Files.readString(outside.resolve("kept")));
        try (Stream<Path> files = Files.list(outside)) {
            assertEquals(1, files.count());
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(3, files.filter(Files::exists).count());
        }
    }

    @Test
    void shouldUnpackLayersInOrder() throws IOException {
        Unpacked unpacked = unpack(new TestImage()
                .folder("etc/")
                .file("etc/one", "old")
                .file("./bin/run", "#!/bin/sh".getBytes(UTF_8), 06755)
                .layer()
                .file("/etc/one", "new")
                .link("etc/two", "one")
                .hardLink("etc/three", "etc/one")
                .environment("PATH=/opt/bin"));
        assertNull(unpacked.fault());
        assertEquals("new", read("etc/one"));
        assertEquals("new", read("etc/three"));
        assertEquals("one", Files.readSymbolicLink(root.resolve("etc/two")).toString());
        assertEquals(
                "rwxr-xr-x",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(root.resolve("bin/run"))),
                "without setuid");
        assertEquals(0, (Integer) Files.getAttribute(root.resolve("bin/run"), "unix:mode") & 07000);
        assertEquals(List.of("PATH=/opt/bin"), unpacked.environment());
        assertEquals(
                1_000_000_000_000L,
                Files.getLastModifiedTime(root.resolve("etc/one")).toMillis());
    }

    @Test
    void shouldTellDigestOfManifest() throws IOException {
        String digest = new TestImage().file("a", "1").write(layout);
        assertEquals(digest, unpack(layout).digest());
    }

    @Test
    void shouldHideWhatLowerLayersHaveWhenWhiteoutSaysSo() throws IOException {
        Unpacked unpacked = unpack(new TestImage()
                .file("a/gone", "1")
                .file("a/kept", "2")
                .file("b/one", "3")
                .file("c/deep/file", "4")
                .layer()
                .file("a/.wh.gone", "")
                .file("b/two", "of the same layer")
                .file("b/.wh..wh..opq", "")
                .file("c/deep/new", "of the same layer")
                .file("c/.wh.deep", "")
                .file("none/.wh.x", ""));
        assertNull(unpacked.fault());
        assertFalse(Files.exists(root.resolve("a/gone")));
        assertEquals("2", read("a/kept"));
        assertFalse(Files.exists(root.resolve("b/one")));
        assertEquals("of the same layer", read("b/two"));
        assertFalse(Files.exists(root.resolve("c/deep/file")));
        assertEquals("of the same layer", read("c/deep/new"));
        assertFalse(Files.exists(root.resolve("none")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"../outside/new", "a/../../outside/new", "/../outside/new", ".."})
    void shouldRefusePathWhenItLeadsOut(String path) throws IOException {
        String fault = String.valueOf(unpack(new TestImage().file(path, "x")).fault());
        assertTrue(fault.contains("leads out"), fault);
        requireOutsideUntouched();
    }

    @Test
    void shouldStayInsideWhenFilesGoThroughLinks() throws IOException {
        Unpacked unpacked = unpack(new TestImage()
                .link("up", "../outside")
                .link("far", outside.toString())
                .link("further", "a/../../../../outside")
                .layer()
                .file("up/kept", "written")
                .file("far/kept", "written")
                .file("further/new", "written")
                .file("up/.wh.kept", "")
                .hardLink("stolen", "far/kept"));
        assertNull(unpacked.fault());
        requireOutsideUntouched();
        assertEquals("written", read("outside/kept"), "as seen from inside");
        assertEquals(
                "written", read(root.relativize(root.resolve("." + outside)).normalize() + "/kept"));
    }

    @Test
    void shouldNotWriteThroughLinkWhenFileHasItsName() throws IOException {
        unpack(new TestImage()
                .link("kept", outside.resolve("kept").toString())
                .layer()
                .file("kept", "written"));
        requireOutsideUntouched();
        assertEquals("written", read("kept"));
    }

    @Test
    void shouldRefuseHardLinkWhenItLeadsToNoFileOfTheImage() throws IOException {
        assertTrue(String.valueOf(
                        unpack(new TestImage().hardLink("a", outside + "/kept")).fault())
                .contains("no file"));
        assertTrue(String.valueOf(
                        unpack(new TestImage().hardLink("a", "../outside/kept")).fault())
                .contains("leads out"));
    }

    @Test
    void shouldRefuseLinksWhenTheyLeadInCircles() throws IOException {
        Unpacked unpacked = unpack(new TestImage().link("a", "b").link("b", "a").file("a/c", "x"));
        assertTrue(String.valueOf(unpacked.fault()).contains("circles"), unpacked::toString);
    }

    @Test
    void shouldLeaveOutDevicesAndNamesThatAreNoText() throws IOException {
        Unpacked unpacked = unpack(new TestImage()
                .entry('3', "dev/null", "", 0666, new byte[0])
                .entry('4', "dev/sda", "", 0666, new byte[0])
                .entry('6', "pipe", "", 0666, new byte[0])
                .entry('x', "", "", 0644, pax("path=", new byte[] {(byte) 0xff, 'x'}))
                .file("replaced", "content that is skipped")
                .file("after", "1"));
        assertNull(unpacked.fault());
        assertEquals(4, unpacked.leftOut());
        assertEquals("1", read("after"));
        assertFalse(Files.exists(root.resolve("replaced")));
        assertFalse(Files.exists(root.resolve("dev")));
    }

    private static byte[] pax(String key, byte[] value) {
        byte[] record = new byte[3 + key.length() + value.length + 1];
        byte[] head = (record.length + " " + key).getBytes(UTF_8);
        System.arraycopy(head, 0, record, 0, head.length);
        System.arraycopy(value, 0, record, head.length, value.length);
        record[head.length + value.length] = '\n';
        return record;
    }

    @Test
    void shouldReadLongNames() throws IOException {
        String name = "n".repeat(120);
        Unpacked unpacked = unpack(new TestImage()
                .entry('x', "", "", 0644, ("134 path=pax/" + name + "\n").getBytes(UTF_8))
                .file("short", "1")
                .entry('L', "", "", 0644, ("gnu/" + name + "\0").getBytes(UTF_8))
                .file("short", "2")
                .entry('K', "", "", 0644, (name + "\0").getBytes(UTF_8))
                .link("link", "short"));
        assertNull(unpacked.fault());
        assertEquals("1", read("pax/" + name));
        assertEquals("2", read("gnu/" + name));
        assertEquals(name, Files.readSymbolicLink(root.resolve("link")).toString());
    }

    @Test
    void shouldRefuseImageWhenItTakesMoreThanIsAllowed() throws IOException {
        byte[] half = new byte[(int) (BYTES_MAX / 2) + 1];
        assertTrue(String.valueOf(unpack(new TestImage().file("a", half, 0644).file("b", half, 0644))
                        .fault())
                .contains("worker.images.bytesMax"));
        TestImage many = new TestImage();
        for (int i = 0; i <= FILES_MAX; i++) {
            many.file("f" + i, "");
        }
        assertTrue(String.valueOf(unpack(many).fault()).contains("worker.images.filesMax"));
    }

    @Test
    void shouldEndBombWhenLayerGoesOnAndOn() throws IOException {
        // Packed, they take a thousandth of that.
        TestImage bomb = new TestImage();
        byte[] block = new byte[1 << 20];
        for (int i = 0; i < 8; i++) {
            bomb.entry('g', "", "", 0644, block);
        }
        assertTrue(String.valueOf(unpack(bomb.file("a", "1")).fault()).contains("larger than all"));
    }

    @Test
    void shouldRefuseLayerWhenItIsNotWhatItsDigestSays() throws IOException {
        String digest = new TestImage().file("a", "1").write(layout);
        try (Stream<Path> blobs = Files.list(layout.resolve("blobs/sha256"))) {
            for (Path blob : blobs.toList()) {
                byte[] whole = Files.readAllBytes(blob);
                for (int at : new int[] {whole.length - 1, whole.length / 2}) {
                    byte[] changed = whole.clone();
                    changed[at] ^= 1;
                    Files.write(blob, changed);
                    assertFalse(String.valueOf(unpack(layout).fault()).equals("null"), blob::toString);
                }
                Files.write(blob, whole);
            }
        }
        assertEquals(digest, unpack(layout).digest());
    }

    @Test
    void shouldRefuseImageWhenItIsForAnotherMachine() throws IOException {
        String fault = String.valueOf(
                unpack(new TestImage().file("a", "1").builtFor("s390x")).fault());
        assertTrue(fault.contains("on s390x"), fault);
    }

    @Test
    void shouldNeverFailOtherwiseWhenArchiveIsDamaged() throws IOException {
        byte[] whole = archive();
        long seed = 4711;
        Random random = new Random(seed);
        for (int run = 0; run < 400; run++) {
            byte[] damaged = whole.clone();
            for (int i = random.nextInt(4); i >= 0; i--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
            }
            int length = random.nextBoolean() ? damaged.length : random.nextInt(damaged.length);
            ImageTree tree = new ImageTree(Files.createDirectories(root.resolve("r" + run)), new Bounds(1 << 16, 100));
            try {
                TarReader reader =
                        new TarReader(new BoundedStream(new ByteArrayInputStream(damaged, 0, length), 1 << 20));
                for (ImageEntry entry = reader.next(); entry != null; entry = reader.next()) {
                    tree.addOfLayer(entry, reader::read);
                }
            } catch (UnusableImageException expected) {
                assertNotEquals("", expected.getMessage());
            }
        }
        requireOutsideUntouched();
    }

    private byte[] archive() throws IOException {
        new TestImage()
                .folder("etc/")
                .file("etc/one", "1")
                .link("l", "../outside")
                .file("l/x", "2")
                .entry('x', "", "", 0644, "16 path=some/xy\n".getBytes(UTF_8))
                .file("short", "3")
                .hardLink("h", "etc/one")
                .write(layout);
        try (Stream<Path> blobs = Files.list(layout.resolve("blobs/sha256"))) {
            for (Path blob : blobs.toList()) {
                byte[] content = Files.readAllBytes(blob);
                if (content[0] == 0x1f) {
                    return new java.util.zip.GZIPInputStream(new ByteArrayInputStream(content)).readAllBytes();
                }
            }
        }
        throw new AssertionError("no layer");
    }

    @Test
    void shouldMakeFilesForMountsWhenImageHasLinksThere() throws IOException {
        Unpacked unpacked = unpack(
                new TestImage()
                        .link("etc", outside.toString())
                        .layer()
                        .link("etc/passwd", outside.resolve("kept").toString())
                        .file("etc/group", "of the image"),
                "etc/passwd",
                "etc/ssl/certs/list");
        assertNull(unpacked.fault());
        requireOutsideUntouched();
        assertTrue(Files.isDirectory(root.resolve("etc"), LinkOption.NOFOLLOW_LINKS));
        for (String file : List.of("etc/passwd", "etc/ssl/certs/list")) {
            assertTrue(Files.isRegularFile(root.resolve(file), LinkOption.NOFOLLOW_LINKS), file);
            assertEquals("", read(file));
        }
    }

    @Test
    void shouldTellLibraryOfPrograms() throws IOException {
        assertNull(unpack(new TestImage().file("bin/sh", "1")).library());
        assertEquals(
                "musl",
                unpack(new TestImage().file("lib/ld-musl-x86_64.so.1", "1")).library());
        assertEquals(
                "glibc",
                unpack(new TestImage()
                                .link("lib64", "usr/lib64")
                                .link("usr/lib64/ld-linux-x86-64.so.2", "../lib/x/ld.so")
                                .file("usr/lib/x/ld.so", "1"))
                        .library());
    }

    @Test
    void shouldCopyPlainFolderWithADigestOfItsOwn() throws IOException {
        Path plain = Files.createDirectories(folder.resolve("outside/plain"));
        Files.writeString(plain.resolve(".wh.one"), "an ordinary name here");
        Files.createSymbolicLink(plain.resolve("link"), Path.of("../kept"));
        Unpacked first = unpack(plain);
        assertNull(first.fault());
        assertEquals("an ordinary name here", read(".wh.one"));
        assertEquals("../kept", Files.readSymbolicLink(root.resolve("link")).toString());
        assertEquals(first.digest(), unpack(plain).digest());
        Files.setPosixFilePermissions(plain.resolve(".wh.one"), PosixFilePermissions.fromString("rwx------"));
        assertNotEquals(first.digest(), unpack(plain).digest());
        assertArrayEquals("kept".getBytes(UTF_8), Files.readAllBytes(outside.resolve("kept")));
    }
}
