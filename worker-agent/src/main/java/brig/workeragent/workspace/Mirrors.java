package brig.workeragent.workspace;

import static java.nio.charset.StandardCharsets.US_ASCII;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.control.MirrorAnswer;
import brig.protocol.control.MirrorStart;
import brig.protocol.control.TransferRequest;
import brig.protocol.io.WholeFile;
import brig.workeragent.wall.ToolWall;
import brig.workeragent.wall.WorkersUser;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bare mirrors of repositories of another host: {@code <base>/NAME.FORMAT.git}. Worktrees borrow their objects; agents
 * only read them. Beside each is a list of the commits that were whole when they came, {@code NAME.FORMAT.commits}.
 * Blocks; thread-safe.
 *
 * <p>Decision 0164.
 */
public final class Mirrors {
    private static final Logger LOG = LoggerFactory.getLogger(Mirrors.class);
    private static final int SHA1_DIGITS = 40;
    private static final List<String> FORMATS = List.of("sha1", "sha256");
    private static final int COPY_BYTES = 64 * 1024;

    private final Path base;
    private final WorkersUser user;
    private final Git git;
    private final LongSupplier nowMs;
    private final KeyedLock turns = new KeyedLock();

    Mirrors(Path base, WorkersUser user, Git git, LongSupplier nowMs) {
        this.base = base.toAbsolutePath();
        this.user = user;
        this.git = git;
        this.nowMs = nowMs;
    }

    static String formatOf(String commit) {
        return commit.length() == SHA1_DIGITS ? FORMATS.get(0) : FORMATS.get(1);
    }

    /** The name of the folder without its suffix: the formats of objects do not mix. */
    static String nameOf(String mirror, String commit) {
        return mirror + "." + formatOf(commit);
    }

    Path folderOf(String name) {
        return base.resolve(name + ".git");
    }

    private Path listOf(String name) {
        return base.resolve(name + ".commits");
    }

    /** The newest commits that a mirror has with all of their history. */
    public MirrorAnswer commits(String mirror) {
        try {
            List<String> all = new ArrayList<>();
            for (String format : FORMATS) {
                all.addAll(commitsIn(mirror + "." + format));
            }
            return new MirrorAnswer(last(all));
        } catch (IOException e) {
            throw failure(e);
        }
    }

    private List<String> commitsIn(String name) throws IOException {
        Path list = listOf(name);
        return Files.exists(list) && Files.isDirectory(folderOf(name), LinkOption.NOFOLLOW_LINKS)
                ? Files.readAllLines(list, US_ASCII)
                : List.of();
    }

    private static List<String> last(List<String> commits) {
        return commits.subList(Math.max(0, commits.size() - MirrorAnswer.COMMITS_MAX), commits.size());
    }

    /**
     * Takes a pack. One at a time is worked into a mirror; the others wait. A pack that ends too early changes nothing.
     *
     * @param pack at least the announced bytes; no more are read
     * @throws BrigException {@code WORKSPACE_UNREADABLE} if the commit is not whole then, or not sound
     */
    public void receive(TransferRequest.Receive announced, InputStream pack) {
        String name = nameOf(announced.mirror(), announced.commit());
        try {
            makeBase();
            Path file = Files.createTempFile(base, name + ".", ".pack");
            try {
                user.give(file);
                try (OutputStream out = Files.newOutputStream(file)) {
                    copy(pack, out, announced.bytes());
                }
                turns.await(name, () -> {
                    take(name, announced, file);
                    return name;
                });
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw failure(e);
        }
    }

    /** @throws BrigException {@code WORKSPACE_UNREADABLE} if there are fewer bytes */
    static void copy(InputStream from, OutputStream to, long bytes) throws IOException {
        byte[] buffer = new byte[COPY_BYTES];
        long left = bytes;
        while (left > 0) {
            int count = from.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (count < 0) {
                throw new BrigException(
                        ErrorCode.WORKSPACE_UNREADABLE, "only " + (bytes - left) + " of " + bytes + " bytes came");
            }
            to.write(buffer, 0, count);
            left -= count;
        }
    }

    private void take(String name, TransferRequest.Receive announced, Path pack) throws IOException {
        Path folder = folderOf(name);
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            user.give(folder);
        }
        List<String> known = new ArrayList<>(commitsIn(name));
        List<String> arguments =
                new ArrayList<>(List.of(announced.commit(), announced.head(), formatOf(announced.commit())));
        arguments.addAll(last(known));
        ToolWall.Said<Git.Text> said = git.attempt(
                List.of("receive"),
                new Git.Place(folder, false, List.of(Git.Place.readOnly(pack, "/pack"))),
                Git.NOTHING,
                Git.Text.upTo(0),
                arguments.toArray(String[]::new));
        if (said.failed()) {
            // What it was thought to have is perhaps not there: the next pack has to bring everything.
            Files.deleteIfExists(listOf(name));
            throw new BrigException(
                    ErrorCode.WORKSPACE_UNREADABLE, "what came is not the repository's: " + said.complaint());
        }
        known.remove(announced.head());
        known.add(announced.head());
        WholeFile.write(listOf(name), (String.join("\n", last(known)) + "\n").getBytes(US_ASCII));
    }

    private void makeBase() throws IOException {
        if (!Files.isDirectory(base)) {
            Files.createDirectories(base);
            Files.setPosixFilePermissions(
                    base, PosixFilePermissions.fromString(user.switched() ? "rwx--x--x" : "rwx------"));
        }
    }

    /** The mirror for a worktree. @throws BrigException {@code NOT_FOUND} if it was not brought */
    String require(MirrorStart start) throws IOException {
        String name = nameOf(start.mirror(), start.commit());
        Path list = listOf(name);
        if (!Files.exists(list)) {
            throw new BrigException(ErrorCode.NOT_FOUND, "the repository was not brought to this host");
        }
        Files.setLastModifiedTime(list, FileTime.fromMillis(nowMs.getAsLong()));
        return name;
    }

    /** Deletes mirrors that no worktree borrows from, and that nobody used since then. */
    void removeUnused(Set<String> borrowed, long beforeMs) throws IOException {
        if (!Files.isDirectory(base)) {
            return;
        }
        List<String> unused = new ArrayList<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(base, "*.git")) {
            for (Path folder : folders) {
                String name = String.valueOf(folder.getFileName()).replaceFirst("\\.git$", "");
                Path dated = Files.exists(listOf(name)) ? listOf(name) : folder;
                if (!borrowed.contains(name) && Files.getLastModifiedTime(dated).toMillis() <= beforeMs) {
                    unused.add(name);
                }
            }
        }
        for (String name : unused) {
            LOG.info("the mirror {} was not used for long and is deleted", name);
            turns.await(name, () -> {
                Files.deleteIfExists(listOf(name));
                git.empty(folderOf(name));
                Files.delete(folderOf(name));
                return name;
            });
        }
    }

    /** Deletes packs that came before that time: a predecessor left them. */
    void sweep(long beforeMs) throws IOException {
        if (Files.isDirectory(base)) {
            WorkspaceNotes.removeBefore(base, "*.pack", beforeMs);
        }
    }

    private static BrigException failure(IOException e) {
        return new BrigException(ErrorCode.INTERNAL, "cannot work on a mirror: " + Reason.withFile(e));
    }
}
