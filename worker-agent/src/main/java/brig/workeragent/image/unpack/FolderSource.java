package brig.workeragent.image.unpack;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.workeragent.image.unpack.ImageEntry.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A plain folder as an image. Its digest is that of all names, kinds, links and contents, in order. */
final class FolderSource {
    private final Path folder;
    private final ImageTree tree;
    private final MessageDigest sum = OciLayout.sha256();

    FolderSource(Path folder, ImageTree tree) {
        this.folder = folder;
        this.tree = tree;
    }

    /** Copies all that can be read. @return the digest */
    String copy() throws IOException {
        copy(folder);
        return OciLayout.text(sum);
    }

    private void copy(Path from) throws IOException {
        List<Path> children = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(from)) {
            all.forEach(children::add);
        } catch (AccessDeniedException e) {
            tree.leaveOut();
            return;
        }
        children.sort(Comparator.comparing(Path::toString));
        for (Path child : children) {
            PosixFileAttributes there =
                    Files.readAttributes(child, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            Kind kind = there.isDirectory()
                    ? Kind.FOLDER
                    : there.isRegularFile() ? Kind.FILE : there.isSymbolicLink() ? Kind.SYMBOLIC_LINK : Kind.OTHER;
            ImageEntry entry = new ImageEntry(
                    folder.relativize(child).toString(),
                    kind,
                    kind == Kind.SYMBOLIC_LINK ? Files.readSymbolicLink(child).toString() : "",
                    there.permissions().contains(PosixFilePermission.OWNER_EXECUTE),
                    there.lastModifiedTime().toMillis() / 1000);
            if (kind == Kind.FILE) {
                copyFile(child, entry);
            } else {
                note(entry);
                tree.add(entry, buffer -> -1);
            }
            if (kind == Kind.FOLDER) {
                copy(child);
            }
        }
    }

    private void copyFile(Path file, ImageEntry entry) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            MessageDigest content = OciLayout.sha256();
            tree.add(entry, buffer -> {
                int count = in.read(buffer);
                content.update(buffer, 0, Math.max(0, count));
                return count;
            });
            note(entry);
            sum.update(content.digest());
        } catch (AccessDeniedException e) {
            tree.leaveOut();
        }
    }

    private void note(ImageEntry entry) {
        String line = entry.kind() + "\0" + entry.executable() + "\0" + entry.path() + "\0" + entry.link() + "\0";
        sum.update(line.getBytes(UTF_8));
    }
}
