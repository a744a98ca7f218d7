package brig.workeragent.workspace;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What git writes is understood and written again; what it never writes does not get through. */
class PatchReaderTest {
    private static final String A = "1111111111111111111111111111111111111111";
    private static final String B = "2222222222222222222222222222222222222222";

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    private List<FileChange> read(String patch) throws IOException {
        return PatchReader.copy(new ByteArrayInputStream(patch.getBytes(ISO_8859_1)), written, 100_000);
    }

    private static String edit(String name) {
        return "diff --git a/" + name + " b/" + name + "\nindex " + A + ".." + B + " 100644\n--- a/" + name + "\n+++ b/"
                + name + "\n@@ -1,2 +1,2 @@ heading\n one\n-two\n+three\n";
    }

    @Test
    void shouldWriteAgainWhatItUnderstood() throws IOException {
        FileChange change = read(edit("sub/my file")).getFirst();
        assertEquals("""
                diff --git "a/sub/my file" "b/sub/my file"
                index %s..%s 100644
                --- "a/sub/my file"
                +++ "b/sub/my file"
                @@ -1,2 +1,2 @@
                 one
                -two
                +three
                """.formatted(A, B), written.toString(ISO_8859_1));
        assertEquals(new FileChange("sub/my file", FileChange.FILE, FileChange.FILE, false, 1, 1, null), change);
    }

    @Test
    void shouldKnowNewDeletedModesAndLinks() throws IOException {
        List<FileChange> changes = read("""
                diff --git a/run b/run
                old mode 100644
                new mode 100755
                diff --git a/empty b/empty
                new file mode 100644
                index %1$s..%2$s
                diff --git a/gone b/gone
                deleted file mode 100755
                index %1$s..%2$s
                --- a/gone
                +++ /dev/null
                @@ -1 +0,0 @@
                -x
                diff --git a/link b/link
                new file mode 120000
                index %1$s..%2$s
                --- /dev/null
                +++ b/link
                @@ -0,0 +1 @@
                +../there
                \\ No newline at end of file
                diff --git a/sub b/sub
                new file mode 160000
                index %1$s..%2$s
                --- /dev/null
                +++ b/sub
                @@ -0,0 +1 @@
                +Subproject commit 1111
                """.formatted(A, B));
        assertEquals(
                List.of(
                        new FileChange("run", FileChange.FILE, FileChange.EXECUTABLE, false, 0, 0, null),
                        new FileChange("empty", FileChange.NONE, FileChange.FILE, false, 0, 0, null),
                        new FileChange("gone", FileChange.EXECUTABLE, FileChange.NONE, false, 0, 1, null),
                        new FileChange("link", FileChange.NONE, FileChange.LINK, false, 1, 0, "../there"),
                        new FileChange("sub", FileChange.NONE, FileChange.REPOSITORY, false, 1, 0, null)),
                changes);
    }

    @Test
    void shouldTakeALineOfAFileThatLooksLikeAnotherFileForALine() throws IOException {
        List<FileChange> changes = read("diff --git a/x b/x\nnew file mode 100644\nindex " + A + ".." + B
                + "\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+diff --git a/.git/hooks/x b/.git/hooks/x\n+++ b/.git/hooks/x\n"
                + edit("y"));
        assertEquals(List.of("x", "y"), changes.stream().map(FileChange::path).toList());
        assertEquals(2, changes.getFirst().added());
    }

    @Test
    void shouldReadNamesAsGitQuotesThem() throws IOException {
        String quoted =
                "diff --git \"a/\\303\\266\\t\\\"\\\\\\033\" \"b/\\303\\266\\t\\\"\\\\\\033\"\nold mode 100644\nnew mode 100755\n";
        assertEquals("\u00c3\u00b6\t\"\\\u001b", read(quoted).getFirst().path());
        assertEquals(
                "diff --git \"a/\\303\\266\\011\\\"\\\\\\033\" \"b/\\303\\266\\011\\\"\\\\\\033\"\nold mode 100644\nnew mode 100755\n",
                written.toString(ISO_8859_1));
    }

    @Test
    void shouldPassBinaryFilesOn() throws IOException {
        String binary = "diff --git a/bin b/bin\nindex " + A + ".." + B + " 100644\nGIT binary patch\nliteral 4\n"
                + "LcmZQzWMT#Y01f~L\n\nliteral 0\nHcmV?d00001\n\n";
        FileChange change = read(binary).getFirst();
        assertEquals(binary, written.toString(ISO_8859_1));
        assertEquals(true, change.binary());
    }

    @Test
    void shouldNotSayWhereALinkLeadsThatItCannotRead() throws IOException {
        String link = "diff --git a/l b/l\nnew file mode 120000\nindex " + A + ".." + B + "\n";
        assertNull(read(link).getFirst().linkTarget());
        assertNull(read(link + "GIT binary patch\nliteral 4\nLcmZQzWMT#Y01f~L\n\nliteral 0\nHcmV?d00001\n\n")
                .getFirst()
                .linkTarget());
        assertNull(read(link + "--- /dev/null\n+++ b/l\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n")
                .getFirst()
                .linkTarget());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hello\n",
                "diff --git a/x b/y\nold mode 100644\nnew mode 100755\n",
                "diff --git a/x b/x\n",
                "diff --git a/x b/x\nold mode 100644\n",
                "diff --git a/x b/x\nold mode 100644\nnew mode 104755\n",
                "diff --git a/x b/x\nold mode 100644\nnew mode 100755\nrename from x\nrename to y\n",
                "diff --git a/x b/x\nsimilarity index 100%\nrename from x\nrename to .git/hooks/post-checkout\n",
                "diff --git a/x b/x\nnew file mode 100644\nindex 11..22\n",
                "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+one\n",
                "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\nno sign\n",
                "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n-less\n",
                "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +9999999999 @@\n+one\n",
                "diff --git a/x b/x\nnew file mode 100644\nGIT binary patch\nliteral x\n\n\n",
                "diff --git a/x b/x\nnew file mode 100644\nGIT binary patch\nliteral 4\nin the clear\n\n",
                "diff --git \"a/x\\x\" \"b/x\\x\"\nold mode 100644\nnew mode 100755\n",
                "diff --git x x\nold mode 100644\nnew mode 100755\n",
            })
    void shouldRefuseWhatGitDoesNotWrite(String patch) {
        BrigException refused = assertThrows(BrigException.class, () -> read(patch));
        assertEquals(ErrorCode.WORKSPACE_UNREADABLE, refused.code());
    }

    @Test
    void shouldRefuseMoreThanItMayRead() {
        assertEquals(
                ErrorCode.WORKSPACE_UNREADABLE,
                assertThrows(BrigException.class, () -> read("x".repeat(200_000)))
                        .code());
    }

    /** Cut off anywhere, a patch is refused, or is that of the files before the cut. */
    @Test
    void shouldNeverMakeMoreOfAPartThanOfTheWhole() throws IOException {
        String patch = edit("a") + edit("b");
        for (int end = 0; end < patch.length(); end++) {
            written.reset();
            try {
                List<FileChange> changes = read(patch.substring(0, end));
                assertEquals(
                        List.of("a", "b").subList(0, changes.size()),
                        changes.stream().map(FileChange::path).toList());
            } catch (BrigException refused) {
                assertEquals(ErrorCode.WORKSPACE_UNREADABLE, refused.code());
            }
        }
    }
}
