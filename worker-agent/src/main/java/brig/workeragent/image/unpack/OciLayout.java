package brig.workeragent.image.unpack;

import brig.protocol.BrigException;
import brig.protocol.json.JsonObject;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * An image in a folder, as "OCI Image Layout" of the OCI Image Format Specification 1.1 describes it. Every blob is
 * checked against its digest.
 */
final class OciLayout {
    private static final Pattern DIGEST = Pattern.compile("sha256:[0-9a-f]{64}");
    private static final int JSON_BYTES_MAX = 4 << 20;
    private static final int LAYERS_MAX = 512;
    private static final int INDEXES_MAX = 3;
    private static final int ENVIRONMENT_MAX = 256;

    private final Path folder;
    private final String architecture;

    /** @param architecture as Java names it */
    OciLayout(Path folder, String architecture) {
        this.folder = folder;
        this.architecture = switch (architecture) {
            case "amd64", "x86_64" -> "amd64";
            case "aarch64" -> "arm64";
            default -> architecture;
        };
    }

    static boolean isOne(Path folder) {
        return Files.exists(folder.resolve("oci-layout"));
    }

    /**
     * An image.
     *
     * @param digest of its manifest
     * @param environment as its author wishes it, {@code NAME=value} each
     * @param layers their digests, the lowest first
     */
    record Image(String digest, List<String> environment, List<String> layers) {}

    Image image() throws IOException {
        return read(manifest(parsed(content(folder.resolve("index.json"))), 0));
    }

    private Image read(String digest) throws IOException {
        JsonObject manifest = json(digest);
        JsonObject config = json(manifest.object("config").text("digest"));
        String built = config.text("architecture");
        if (!architecture.equals(built) || !"linux".equals(config.text("os"))) {
            throw new UnusableImageException("it is for " + plain(config.text("os")) + " on " + plain(built)
                    + ", this host is linux on " + architecture);
        }
        List<String> layers = new ArrayList<>();
        for (JsonObject layer : manifest.objects("layers")) {
            layers.add(checked(layer.text("digest")));
        }
        if (layers.isEmpty() || layers.size() > LAYERS_MAX) {
            throw new UnusableImageException("it has " + layers.size() + " layers; 1 to " + LAYERS_MAX + " are taken");
        }
        List<String> environment = config.object("config").texts("Env");
        return new Image(digest, environment.subList(0, Math.min(environment.size(), ENVIRONMENT_MAX)), layers);
    }

    /** The manifest for this host, in an index that may name others. */
    private String manifest(JsonObject index, int depth) throws IOException {
        List<String> found = new ArrayList<>();
        for (JsonObject one : index.objects("manifests")) {
            String built = one.object("platform").text("architecture");
            boolean fits = built == null
                    || (built.equals(architecture)
                            && "linux".equals(one.object("platform").text("os")));
            if (fits) {
                String type = one.text("mediaType");
                boolean isIndex = type != null && (type.contains("index") || type.contains("manifest.list"));
                String digest = checked(one.text("digest"));
                if (isIndex && depth < INDEXES_MAX) {
                    digest = manifest(json(digest), depth + 1);
                }
                if (!found.contains(digest)) {
                    found.add(digest);
                }
            }
        }
        if (found.size() != 1) {
            throw new UnusableImageException(
                    found.isEmpty()
                            ? "its index names no image for linux on " + architecture
                            : "its index names " + found.size() + " images; copy one of them into a layout of its own:"
                                    + " skopeo copy oci:FOLDER:TAG oci:OTHER");
        }
        return found.getFirst();
    }

    /**
     * Reads a layer to its end, and checks it.
     *
     * @param bytesMax of what is unpacked of it
     */
    void unpack(String digest, ImageTree tree, long bytesMax) throws IOException {
        MessageDigest sum = sha256();
        try (InputStream blob = new DigestInputStream(Files.newInputStream(blob(digest)), sum)) {
            tree.beginLayer();
            BufferedInputStream packed = new BufferedInputStream(blob, 64 * 1024);
            InputStream plain = new BoundedStream(unpacked(packed), bytesMax);
            TarReader reader = new TarReader(plain);
            for (ImageEntry entry = reader.next(); entry != null; entry = reader.next()) {
                tree.addOfLayer(entry, reader::read);
            }
            packed.transferTo(OutputStream.nullOutputStream());
        }
        if (!digest.equals(text(sum))) {
            throw new UnusableImageException("the layer " + digest + " has another content than its digest says");
        }
    }

    private static InputStream unpacked(BufferedInputStream packed) throws IOException {
        packed.mark(4);
        byte[] begin = packed.readNBytes(4);
        packed.reset();
        String magic = HexFormat.of().formatHex(begin);
        if (magic.equals("28b52ffd")) {
            throw new UnusableImageException("its layers are packed with zstd; repack them: skopeo copy"
                    + " --dest-compress-format gzip --dest-force-compress-format oci:FOLDER oci:OTHER");
        }
        return magic.startsWith("1f8b") ? new GZIPInputStream(packed, 64 * 1024) : packed;
    }

    private JsonObject json(@Nullable String digest) throws IOException {
        String name = checked(digest);
        byte[] content = content(blob(name));
        MessageDigest sum = sha256();
        sum.update(content);
        if (content.length <= JSON_BYTES_MAX && !name.equals(text(sum))) {
            throw new UnusableImageException("the blob " + name + " has another content than its digest says");
        }
        return parsed(content);
    }

    private static byte[] content(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(JSON_BYTES_MAX + 1);
        }
    }

    private static JsonObject parsed(byte[] content) throws UnusableImageException {
        if (content.length > JSON_BYTES_MAX) {
            throw new UnusableImageException("it is described by more than " + JSON_BYTES_MAX + " bytes");
        }
        try {
            return JsonObject.read(content);
        } catch (BrigException e) {
            throw new UnusableImageException("it is described by what is no JSON: " + e.getMessage());
        }
    }

    private Path blob(String digest) {
        return folder.resolve("blobs/sha256").resolve(digest.substring("sha256:".length()));
    }

    private static String checked(@Nullable String digest) throws UnusableImageException {
        if (digest == null || !DIGEST.matcher(digest).matches()) {
            throw new UnusableImageException("it names a blob without a digest of the form sha256:…");
        }
        return digest;
    }

    private static String plain(@Nullable String text) {
        return text != null && text.matches("[a-z0-9_]{1,32}") ? text : "an unknown one";
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    static String text(MessageDigest sum) {
        return "sha256:" + HexFormat.of().formatHex(sum.digest());
    }
}
