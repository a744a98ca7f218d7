package brig.workeragent.workspace;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses an untrusted patch and writes it anew from what was parsed, so that {@code git apply} gets exactly what was
 * checked.
 *
 * <p>The format is that of {@code git diff --binary --full-index --no-renames --src-prefix=a/ --dst-prefix=b/}
 * (git-diff-index(1), "Generating patch text with -p"), with names quoted also if they contain a space.
 *
 * <p>Decision 0105.
 */
final class PatchReader {
    private static final Pattern INDEX = Pattern.compile("index [0-9a-f]{40,64}\\.\\.[0-9a-f]{40,64}( ([0-7]{6}))?");
    private static final Pattern HUNK =
            Pattern.compile("@@ -(\\d{1,9})(?:,(\\d{1,9}))? \\+(\\d{1,9})(?:,(\\d{1,9}))? @@.*", Pattern.DOTALL);
    private static final Pattern BINARY_SIZE = Pattern.compile("(literal|delta) \\d{1,12}");
    private static final Pattern BINARY_DATA = Pattern.compile("[A-Za-z][!-~]{5,65}");
    private static final Map<String, Integer> MODES = Map.of(
            "100644",
            FileChange.FILE,
            "100755",
            FileChange.EXECUTABLE,
            "120000",
            FileChange.LINK,
            "160000",
            FileChange.REPOSITORY);
    private static final int LINK_BYTES_MAX = 4096;

    private final InputStream in;
    private final OutputStream out;
    private final long bytesMax;
    private long bytes;
    private int lines;
    /** The current line with its line feed, each character a byte; null at the end. */
    private @Nullable String line;

    private PatchReader(InputStream in, OutputStream out, long bytesMax) throws IOException {
        this.in = new BufferedInputStream(in, 1 << 16);
        this.out = out;
        this.bytesMax = bytesMax;
        this.line = readLine();
    }

    /**
     * Reads to the end.
     *
     * @param out receives the same patch
     * @return its files, in order
     * @throws BrigException {@code WORKSPACE_UNREADABLE} if the patch is malformed or too long
     */
    static List<FileChange> copy(InputStream in, OutputStream out, long bytesMax) throws IOException {
        PatchReader reader = new PatchReader(in, out, bytesMax);
        List<FileChange> changes = new ArrayList<>();
        while (reader.line != null) {
            changes.add(reader.readFile());
        }
        return changes;
    }

    private FileChange readFile() throws IOException {
        FileChange.Builder file = new FileChange.Builder(readName(take("diff --git ")));
        String name = PatchNames.quote(file.path());
        write("diff --git " + quoted("a/", name) + " " + quoted("b/", name) + "\n");
        readHeader(file);
        if (starts("GIT binary patch\n")) {
            file.binary();
            write(take(""));
            readBinary();
            readBinary();
        } else if (starts("--- ")) {
            take("--- ");
            take("+++ ");
            write("--- " + (file.isNew() ? "/dev/null" : quoted("a/", name)) + "\n");
            write("+++ " + (file.isDeleted() ? "/dev/null" : quoted("b/", name)) + "\n");
            while (starts("@@ ")) {
                readHunk(file);
            }
        }
        return file.build();
    }

    /** Both names are equal, as there are no renames: so a space in one cannot hide its end. */
    private String readName(String names) {
        String both = strip(names);
        String first = both.substring(0, both.length() / 2);
        String second = both.substring(both.length() - first.length());
        String path = PatchNames.unquote(first, "a/");
        if (path == null || !path.equals(PatchNames.unquote(second, "b/")) || both.length() != 2 * first.length() + 1) {
            throw malformed();
        }
        return path;
    }

    private void readHeader(FileChange.Builder file) throws IOException {
        if (starts("old mode ")) {
            int before = mode(copy("old mode "));
            file.modes(before, mode(copy("new mode ")));
        } else if (starts("new file mode ")) {
            file.modes(FileChange.NONE, mode(copy("new file mode ")));
        } else if (starts("deleted file mode ")) {
            file.modes(mode(copy("deleted file mode ")), FileChange.NONE);
        }
        if (starts("index ")) {
            Matcher index = INDEX.matcher(strip(String.valueOf(line)));
            if (!index.matches() || file.hasModes() == (index.group(2) != null)) {
                throw malformed();
            }
            if (index.group(2) != null) {
                file.modes(mode(index.group(2) + "\n"), mode(index.group(2) + "\n"));
            }
            write(take(""));
        }
        if (!file.hasModes()) {
            throw malformed();
        }
    }

    private int mode(String text) {
        Integer mode = MODES.get(strip(text));
        if (mode == null) {
            throw malformed();
        }
        return mode;
    }

    /** Its lines are counted, so a line that looks like the start of another file is content. */
    private void readHunk(FileChange.Builder file) throws IOException {
        Matcher hunk = HUNK.matcher(take(""));
        if (!hunk.matches()) {
            throw malformed();
        }
        long before = count(hunk.group(2));
        long after = count(hunk.group(4));
        write("@@ -" + hunk.group(1) + "," + before + " +" + hunk.group(3) + "," + after + " @@\n");
        while (before > 0 || after > 0 || starts("\\ ")) {
            String content = take("");
            switch (content.charAt(0)) {
                case ' ' -> {
                    before--;
                    after--;
                }
                case '-' -> {
                    before--;
                    file.removed();
                }
                case '+' -> {
                    after--;
                    file.added(content.substring(1, Math.min(content.length(), LINK_BYTES_MAX)));
                }
                case '\\' -> file.endsWithoutLineFeed();
                default -> throw malformed();
            }
            if (before < 0 || after < 0) {
                throw malformed();
            }
            write(content);
        }
    }

    private static long count(@Nullable String lines) {
        return lines == null ? 1 : Long.parseLong(lines);
    }

    /** One direction: its length, its lines, an empty line. */
    private void readBinary() throws IOException {
        String size = take("");
        write(size);
        if (!BINARY_SIZE.matcher(strip(size)).matches()) {
            throw malformed();
        }
        while (!starts("\n")) {
            String data = take("");
            if (!BINARY_DATA.matcher(strip(data)).matches()) {
                throw malformed();
            }
            write(data);
        }
        write(take(""));
    }

    private boolean starts(String prefix) {
        return line != null && line.startsWith(prefix);
    }

    /** The rest of the line after that prefix; advances to the next line. */
    private String take(String prefix) throws IOException {
        String taken = line;
        if (taken == null || !taken.startsWith(prefix)) {
            throw malformed();
        }
        line = readLine();
        return taken.substring(prefix.length());
    }

    private String copy(String prefix) throws IOException {
        String rest = take(prefix);
        write(prefix + rest);
        return rest;
    }

    private void write(String text) throws IOException {
        out.write(text.getBytes(ISO_8859_1));
    }

    private static String strip(String line) {
        return line.substring(0, line.length() - 1);
    }

    /** git does not quote names with spaces, so it cannot always tell where a name ends. */
    private static String quoted(String prefix, String name) {
        boolean plain = name.indexOf('\\') < 0 && name.indexOf(' ') < 0;
        return plain ? prefix + name : '"' + prefix + name + '"';
    }

    private @Nullable String readLine() throws IOException {
        ByteArrayOutputStream read = new ByteArrayOutputStream(128);
        int next = in.read();
        while (next >= 0) {
            read.write(next);
            if (++bytes > bytesMax) {
                throw new BrigException(
                        ErrorCode.WORKSPACE_UNREADABLE,
                        "the changes are more than " + bytesMax
                                + " bytes as a patch; merge the session's branch by hand");
            }
            if (next == '\n') {
                lines++;
                return read.toString(ISO_8859_1);
            }
            next = in.read();
        }
        if (read.size() > 0) {
            throw malformed();
        }
        return null;
    }

    private BrigException malformed() {
        return new BrigException(
                ErrorCode.WORKSPACE_UNREADABLE, "what came of the changes is no patch of git, near line " + lines);
    }
}
