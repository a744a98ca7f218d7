package brig.workeragent.image.unpack;

import brig.protocol.Reason;
import brig.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The program. It writes one line to standard output, an {@link Unpacked}.
 *
 * <p>Decision 0208.
 */
public final class Unpack {
    /** Of a block and the blocks for a long name. */
    private static final long HEADER_BYTES = 4096;

    private Unpack() {}

    /**
     * @param args the source, which is a folder or an OCI layout; the folder to unpack into; how many bytes and files it
     *     may take; the files that others will be mounted over
     */
    public static void main(String[] args) throws IOException {
        Unpacked unpacked = unpack(
                Path.of(args[0]),
                Path.of(args[1]),
                new Bounds(Long.parseLong(args[2]), Long.parseLong(args[3])),
                List.of(args).subList(4, args.length));
        System.out.write(Json.write(unpacked));
        System.out.flush();
    }

    static Unpacked unpack(Path source, Path root, Bounds bounds, List<String> covered) {
        ImageTree tree = new ImageTree(root, bounds);
        try {
            String digest;
            List<String> environment = List.of();
            if (OciLayout.isOne(source)) {
                OciLayout layout = new OciLayout(source, System.getProperty("os.arch"));
                OciLayout.Image image = layout.image();
                digest = image.digest();
                environment = image.environment();
                long most = bounds.bytesMax() + HEADER_BYTES * bounds.filesMax();
                for (String layer : image.layers()) {
                    layout.unpack(layer, tree, most);
                }
            } else {
                digest = new FolderSource(source, tree).copy();
            }
            tree.prepare(covered);
            return new Unpacked(
                    null, digest, environment, bounds.bytes(), bounds.files(), tree.leftOut(), libraryOf(tree));
        } catch (UnusableImageException e) {
            return Unpacked.fault(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            return Unpacked.fault("it cannot be read or written: " + Reason.withFile(e));
        }
    }

    private static @Nullable String libraryOf(ImageTree tree) throws IOException {
        for (String loader : List.of("lib64/ld-linux-x86-64.so.2", "lib/ld-linux-aarch64.so.1")) {
            if (tree.has(loader)) {
                return Unpacked.GLIBC;
            }
        }
        for (String loader : List.of("lib/ld-musl-x86_64.so.1", "lib/ld-musl-aarch64.so.1")) {
            if (tree.has(loader)) {
                return Unpacked.MUSL;
            }
        }
        return null;
    }
}
