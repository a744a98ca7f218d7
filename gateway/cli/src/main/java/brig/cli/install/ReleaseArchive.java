package brig.cli.install;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** An archive of another version. What is in it is used only if all of it is as its lists of hashes say. */
public final class ReleaseArchive {
    private static final Pattern SUM = Pattern.compile("([0-9a-f]{64}) [ *](\\S(?:.*\\S)?)");
    private static final long LIST_BYTES_MAX = 1 << 20;
    private static final long FILE_BYTES_MAX = 1L << 30;
    private static final int FILES_MAX = 20_000;
    private static final long UNPACK_SECONDS_MAX = 300;
    private static final int WORDS_MAX = 300;

    private final Path file;

    public ReleaseArchive(Path file) {
        this.file = file;
    }

    /** Compares the file with {@code SHA256SUMS} beside it. @return whether there is one */
    public boolean check() throws IOException {
        if (!Files.isRegularFile(file) || Files.size(file) > FILE_BYTES_MAX) {
            throw refuse("must be an archive brig-VERSION-linux-ARCHITECTURE.tar.zst");
        }
        Path sums = file.toAbsolutePath().resolveSibling(Installation.MANIFEST);
        if (!Files.exists(sums)) {
            return false;
        }
        String listed = read(sums).get(file.getFileName().toString());
        if (listed == null) {
            throw refuse("is not listed in " + sums);
        }
        if (!listed.equals(sha256(file))) {
            throw refuse("is not what " + sums + " says: it was cut off or changed; get it again");
        }
        return true;
    }

    /**
     * Unpacks it into an empty folder. @return the version's folder, which has all files of its list and no other
     *
     * @throws BrigException if it is anything else than a whole archive
     */
    public Path unpackTo(Path folder) throws IOException {
        Path said = Files.createTempFile(folder, "tar-", "");
        Process tar = new ProcessBuilder(
                        "tar", "-x", "-f", file.toAbsolutePath().toString(), "-C", folder.toString(), "--no-same-owner")
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            if (!tar.waitFor(UNPACK_SECONDS_MAX, TimeUnit.SECONDS) || tar.exitValue() != 0) {
                throw refuse("cannot be unpacked: " + firstWords(said) + " ('tar' needs the program 'zstd')");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw refuse("cannot be unpacked: interrupted");
        } finally {
            tar.destroyForcibly();
            Files.delete(said);
        }
        Path versions = folder.resolve("brig").resolve(Installation.VERSIONS);
        if (!Files.isDirectory(versions, LinkOption.NOFOLLOW_LINKS)) {
            throw refuse("is no archive of Brig");
        }
        try (Stream<Path> found = Files.list(versions)) {
            List<Path> all = found.toList();
            if (all.size() != 1) {
                throw refuse("must have one version");
            }
            verify(all.getFirst());
            return all.getFirst();
        }
    }

    /** Every file as listed, none besides, no links, and the list as the folder's name says. */
    private void verify(Path version) throws IOException {
        Matcher name = Installation.NAME.matcher(version.getFileName().toString());
        Path manifest = version.resolve(Installation.MANIFEST);
        if (!name.matches()
                || !Files.isRegularFile(manifest, LinkOption.NOFOLLOW_LINKS)
                || !sha256(manifest).startsWith(name.group(1))) {
            throw refuse("is damaged: its list of files is not the one of its name");
        }
        Map<String, String> listed = read(manifest);
        try (Stream<Path> files = Files.walk(version)) {
            for (Path one : files.limit(FILES_MAX).toList()) {
                if (Files.isDirectory(one, LinkOption.NOFOLLOW_LINKS) || one.equals(manifest)) {
                    continue;
                }
                String path = version.relativize(one).toString();
                if (!Files.isRegularFile(one, LinkOption.NOFOLLOW_LINKS)
                        || !sha256(one).equals(listed.remove(path))) {
                    throw refuse("is damaged: " + path + " is not as its list says");
                }
            }
        }
        if (!listed.isEmpty()) {
            throw refuse("is damaged: it lacks " + listed.keySet().iterator().next());
        }
    }

    private Map<String, String> read(Path sums) throws IOException {
        if (Files.size(sums) > LIST_BYTES_MAX) {
            throw refuse("cannot be checked: " + sums + " is too long");
        }
        Map<String, String> listed = new TreeMap<>();
        for (String line : Files.readString(sums, StandardCharsets.UTF_8).split("\n", -1)) {
            Matcher sum = SUM.matcher(line);
            if (sum.matches()) {
                listed.put(sum.group(2), sum.group(1));
            }
        }
        return listed;
    }

    private static String firstWords(Path said) throws IOException {
        try (InputStream in = Files.newInputStream(said)) {
            String words = new String(in.readNBytes(WORDS_MAX), StandardCharsets.UTF_8).strip();
            return words.isEmpty()
                    ? "it takes too long"
                    : words.lines().findFirst().orElse("");
        }
    }

    static String sha256(Path file) throws IOException {
        try (DigestInputStream in =
                new DigestInputStream(Files.newInputStream(file), MessageDigest.getInstance("SHA-256"))) {
            in.transferTo(OutputStream.nullOutputStream());
            return HexFormat.of().formatHex(in.getMessageDigest().digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private BrigException refuse(String why) {
        return new BrigException(ErrorCode.INVALID_FIELD, file + " " + why);
    }
}
