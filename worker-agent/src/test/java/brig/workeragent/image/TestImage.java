package brig.workeragent.image;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/** Makes OCI layouts, also such as no tool would make. */
public final class TestImage {
    private static final int BLOCK = 512;

    private final List<byte[]> layers = new ArrayList<>();
    private final ByteArrayOutputStream current = new ByteArrayOutputStream();
    private List<String> environment = List.of();
    private String architecture = "amd64".equals(System.getProperty("os.arch")) ? "amd64" : "arm64";

    public TestImage environment(String... variables) {
        environment = List.of(variables);
        return this;
    }

    public TestImage builtFor(String other) {
        architecture = other;
        return this;
    }

    public TestImage file(String path, String content) {
        return file(path, content.getBytes(UTF_8), 0644);
    }

    public TestImage file(String path, byte[] content, int mode) {
        return entry('0', path, "", mode, content);
    }

    public TestImage folder(String path) {
        return entry('5', path, "", 0755, new byte[0]);
    }

    public TestImage link(String path, String target) {
        return entry('2', path, target, 0777, new byte[0]);
    }

    public TestImage hardLink(String path, String target) {
        return entry('1', path, target, 0644, new byte[0]);
    }

    /** One entry, whatever its type means. */
    public TestImage entry(char type, String path, String link, int mode, byte[] content) {
        byte[] header = new byte[BLOCK];
        put(header, 0, 100, path);
        put(header, 100, 8, "%07o".formatted(mode));
        put(header, 108, 8, "%07o".formatted(0));
        put(header, 116, 8, "%07o".formatted(0));
        put(header, 124, 12, "%011o".formatted(content.length));
        put(header, 136, 12, "%011o".formatted(1_000_000_000L));
        put(header, 148, 8, "        ");
        header[156] = (byte) type;
        put(header, 157, 100, link);
        put(header, 257, 8, "ustar\00000");
        int sum = 0;
        for (byte each : header) {
            sum += each & 0xff;
        }
        put(header, 148, 8, "%06o\0 ".formatted(sum));
        return bytes(header).padded(content);
    }

    /** Bytes of the layer as they are. */
    public TestImage bytes(byte[] raw) {
        current.writeBytes(raw);
        return this;
    }

    private TestImage padded(byte[] content) {
        current.writeBytes(content);
        current.writeBytes(new byte[-content.length & (BLOCK - 1)]);
        return this;
    }

    private static void put(byte[] header, int offset, int length, String text) {
        byte[] bytes = text.getBytes(UTF_8);
        System.arraycopy(bytes, 0, header, offset, Math.min(length, bytes.length));
    }

    /** Ends the layer; what follows is in one above it. */
    public TestImage layer() {
        current.writeBytes(new byte[2 * BLOCK]);
        layers.add(current.toByteArray());
        current.reset();
        return this;
    }

    /** Writes it, with the layer that was not ended. @return the digest of its manifest */
    public String write(Path layout) throws IOException {
        layer();
        Files.createDirectories(layout.resolve("blobs/sha256"));
        Files.writeString(layout.resolve("oci-layout"), "{\"imageLayoutVersion\":\"1.0.0\"}");
        List<Object> described = new ArrayList<>();
        for (byte[] layer : layers) {
            described.add(blob(layout, "application/vnd.oci.image.layer.v1.tar+gzip", packed(layer)));
        }
        Map<String, Object> config = blob(
                layout,
                "application/vnd.oci.image.config.v1+json",
                Json.write(Map.of("architecture", architecture, "os", "linux", "config", Map.of("Env", environment))));
        Map<String, Object> manifest = blob(
                layout,
                "application/vnd.oci.image.manifest.v1+json",
                Json.write(Map.of("schemaVersion", 2L, "config", config, "layers", described)));
        Files.write(
                layout.resolve("index.json"), Json.write(Map.of("schemaVersion", 2L, "manifests", List.of(manifest))));
        return String.valueOf(manifest.get("digest"));
    }

    private static Map<String, Object> blob(Path layout, String type, byte[] content) throws IOException {
        String digest = sha256(content);
        Files.write(layout.resolve("blobs/sha256").resolve(digest), content);
        return Map.of("mediaType", type, "digest", "sha256:" + digest, "size", (long) content.length);
    }

    private static byte[] packed(byte[] layer) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(layer);
        }
        return bytes.toByteArray();
    }

    private static String sha256(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
