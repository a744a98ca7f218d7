package brig.workeragent.image;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Json;
import brig.workeragent.image.unpack.Unpack;
import brig.workeragent.image.unpack.Unpacked;
import brig.workeragent.wall.Confinement.Mount;
import brig.workeragent.wall.ToolWall;
import com.fasterxml.jackson.core.JsonFactory;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs {@link Unpack} in a tool wall: it reads the source and writes into one folder, as the workers' user, without a
 * network.
 *
 * @param covered files that an image must have
 */
public record ImageUnpacker(ToolWall tools, Path javaHome, List<Path> classPath, List<String> covered) {
    private static final int ANSWER_BYTES_MAX = 1 << 20;
    /** Of {@code worker.tools.timeoutMs}, as to make a workspace. */
    private static final int TIMES_LONGER = 10;

    private static final Path SOURCE = Path.of("/opt/brig/source");
    private static final Path JAVA = Path.of("/opt/brig/java");
    private static final Path CLASSES = Path.of("/opt/brig/classes");
    private static final ToolWall.Output<byte[]> ALL = out -> out.readNBytes(ANSWER_BYTES_MAX);

    /** An unpacker whose wall shows it what it loads classes from, and nothing else of the product. */
    public static ImageUnpacker ofThisJvm(ToolWall tools, List<String> covered) {
        List<Path> classPath = Stream.of(Unpack.class, Json.class, JsonFactory.class, Nullable.class)
                .map(type -> Path.of(URI.create(
                        type.getProtectionDomain().getCodeSource().getLocation().toString())))
                .toList();
        return new ImageUnpacker(tools, Path.of(System.getProperty("java.home")), classPath, covered);
    }

    /** @param target an empty folder of the workers' user. @throws BrigException {@code INVALID_IMAGE} */
    Unpacked unpack(Path source, Path target, long bytesMax, long filesMax) {
        List<Mount> mounts = new ArrayList<>();
        mounts.add(new Mount(source, SOURCE, true));
        Path java = javaHome;
        if (!javaHome.startsWith("/usr")) {
            mounts.add(new Mount(javaHome, JAVA, true));
            java = JAVA;
        }
        List<String> classes = new ArrayList<>();
        for (Path entry : classPath) {
            // The JVM knows a jar by its name.
            Path inside = CLASSES.resolve(classes.size() + "-" + entry.getFileName());
            mounts.add(new Mount(entry, inside, true));
            classes.add(inside.toString());
        }
        List<String> command = new ArrayList<>(List.of(
                java.resolve("bin/java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-cp",
                String.join(":", classes),
                Unpack.class.getName(),
                SOURCE.toString(),
                "/workspace",
                Long.toString(bytesMax),
                Long.toString(filesMax)));
        command.addAll(covered);
        ToolWall.Said<byte[]> said = tools.run(
                new ToolWall.Job("exec \"$@\"", command, target, false, mounts, Map.of(), TIMES_LONGER, null),
                new byte[0],
                ALL);
        if (said.failed()) {
            throw invalid("the unpacker ended with " + said.exitCode() + ": " + said.complaint());
        }
        Unpacked unpacked = Json.read(said.output(), Unpacked.class);
        if (unpacked.fault() != null) {
            throw invalid(unpacked.fault());
        }
        return unpacked;
    }

    /** Removes all that is in a folder of the workers' user. */
    void clear(Path folder) {
        ToolWall.Said<byte[]> said = tools.run(
                new ToolWall.Job(
                        "chmod -R u+rwX . && find . -mindepth 1 -delete",
                        List.of(),
                        folder,
                        false,
                        List.of(),
                        Map.of(),
                        TIMES_LONGER,
                        null),
                new byte[0],
                ALL);
        if (said.failed()) {
            throw new BrigException(
                    ErrorCode.INTERNAL, "cannot remove the files in " + folder + ": " + said.complaint());
        }
    }

    static BrigException invalid(@Nullable String why) {
        return new BrigException(ErrorCode.INVALID_IMAGE, "the image cannot be used: " + why);
    }

    /** The real path of a source that the workers' user may read. */
    static Path real(String source) {
        try {
            Path real = Path.of(source).toRealPath();
            if (!Files.isDirectory(real)) {
                throw BrigException.invalid("from", source + " is not a folder");
            }
            return real;
        } catch (IOException e) {
            throw BrigException.invalid("from", "there is no folder " + source);
        }
    }
}
