package brig.cli.vm;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Writes the first files of a Linux, an initramfs.
 *
 * <p>Format: "newc" of cpio, as in the kernel's Documentation/driver-api/early-userspace/buffer-format.rst.
 */
final class InitialFiles implements AutoCloseable {
    private static final int REGULAR = 0100000;
    private static final int FOLDER = 0040000;
    private static final int ALIGNMENT = 4;
    private static final String LAST = "TRAILER!!!";

    private final OutputStream out;
    private int number;

    InitialFiles(OutputStream out) {
        this.out = out;
    }

    void file(String path, byte[] content, int mode) throws IOException {
        put(path, REGULAR | mode, content);
    }

    void folder(String path) throws IOException {
        put(path, FOLDER | 0755, new byte[0]);
    }

    private void put(String path, int mode, byte[] content) throws IOException {
        byte[] name = (path + "\0").getBytes(StandardCharsets.UTF_8);
        // Number, mode, uid, gid, links, time, size, device, device of the node, length of the name, checksum.
        String head = "070701"
                + String.format(
                        Locale.ROOT,
                        "%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X",
                        ++number,
                        mode,
                        0,
                        0,
                        1,
                        0,
                        content.length,
                        0,
                        0,
                        0,
                        0,
                        name.length,
                        0);
        out.write(head.getBytes(StandardCharsets.US_ASCII));
        out.write(name);
        pad(head.length() + name.length);
        out.write(content);
        pad(content.length);
    }

    private void pad(int length) throws IOException {
        out.write(new byte[(ALIGNMENT - length % ALIGNMENT) % ALIGNMENT]);
    }

    @Override
    public void close() throws IOException {
        put(LAST, 0, new byte[0]);
        out.close();
    }
}
