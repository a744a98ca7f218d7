package brig.workeragent.workspace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.control.ApplyAnswer;
import brig.workeragent.wall.FileGlobs;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PatchRulesTest {
    private static final FileGlobs NONE = new FileGlobs(List.of());

    private static FileChange change(String path, int oldMode, int newMode) {
        return new FileChange(path, oldMode, newMode, false, 1, 0, null);
    }

    private static FileChange link(String path, String target) {
        return new FileChange(path, FileChange.NONE, FileChange.LINK, false, 1, 0, target);
    }

    private static String reason(FileChange change) {
        List<ApplyAnswer.Withheld> withheld = PatchRules.withheld(List.of(change), NONE);
        return withheld.isEmpty() ? "" : withheld.getFirst().reason().wireName();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/etc/passwd",
                "../x",
                "a/../b",
                "./a",
                "a//b",
                ".git/config",
                "sub/.git/hooks/x",
                ".GIT/x",
                "a\0b",
                "a/"
            })
    void shouldNeverTakeWhatIsNoFileBelowTheRepository(String path) {
        assertEquals(
                1,
                PatchRules.refused(List.of(change(path, FileChange.NONE, FileChange.FILE)))
                        .size());
    }

    @Test
    void shouldTakeOrdinaryFilesWithoutAWord() {
        FileChange ordinary = change("sub/.gitignore", FileChange.NONE, FileChange.FILE);
        assertEquals(List.of(), PatchRules.refused(List.of(ordinary)));
        assertEquals("", reason(ordinary));
        assertEquals("", reason(change("run.sh", FileChange.EXECUTABLE, FileChange.EXECUTABLE)));
        assertEquals("", reason(change("run.sh", FileChange.EXECUTABLE, FileChange.FILE)));
        assertEquals("", reason(change(".vscode/tasks.json", FileChange.FILE, FileChange.NONE)));
    }

    @Test
    void shouldWithholdWhatStartsProgramsOrLeadsOut() {
        assertEquals("executable", reason(change("run.sh", FileChange.NONE, FileChange.EXECUTABLE)));
        assertEquals("executable", reason(change("run.sh", FileChange.FILE, FileChange.EXECUTABLE)));
        assertEquals("startup_file", reason(change("sub/.VSCode/tasks.json", FileChange.NONE, FileChange.FILE)));
        assertEquals("startup_file", reason(change(".envrc", FileChange.FILE, FileChange.FILE)));
        assertEquals("startup_file", reason(link(".bashrc", "other")));
        assertEquals("repository", reason(change("sub", FileChange.NONE, FileChange.REPOSITORY)));
        assertEquals("repository", reason(change("sub", FileChange.REPOSITORY, FileChange.NONE)));
        assertEquals("link_out", reason(change("unread", FileChange.NONE, FileChange.LINK)));
    }

    @ParameterizedTest
    @CsvSource({
        "a,b,",
        "a,./b/c,",
        "d/a,../b,",
        "d/e/a,../../b/c,",
        "a,b/..c,",
        "a,/etc/passwd,link_out",
        "a,..,link_out",
        "d/a,../../b,link_out",
        "a,b/../c,link_out",
        "d/a,../b/..,link_out",
        "a,.git/hooks,link_out",
        "d/a,../.Git/x,link_out",
        "a,'',link_out"
    })
    void shouldJudgeALinkByItsWords(String path, String target, String reason) {
        assertEquals(reason == null ? "" : reason, reason(link(path, target)));
    }

    @Test
    void shouldTakeWhatAPersonNamed() {
        List<FileChange> changes = List.of(
                change("bin/run", FileChange.NONE, FileChange.EXECUTABLE),
                link("hosts", "/etc/hosts"),
                change(".vscode/tasks.json", FileChange.NONE, FileChange.FILE));
        assertEquals(3, PatchRules.withheld(changes, NONE).size());
        assertEquals(
                List.of("hosts"),
                PatchRules.withheld(changes, new FileGlobs(List.of("run", ".vscode/**"))).stream()
                        .map(ApplyAnswer.Withheld::path)
                        .toList());
        assertEquals(List.of(), PatchRules.withheld(changes, new FileGlobs(List.of("*"))));
    }

    @Test
    void shouldCountFilesAndLinesInPlainText() {
        assertEquals(
                """
                 a\\033 | 3 ++-
                 bin | Bin
                 run | 0
                 3 files changed, 2 insertions(+), 1 deletions(-)
                """,
                PatchRules.stat(List.of(
                        new FileChange("a\u001b", FileChange.FILE, FileChange.FILE, false, 2, 1, null),
                        new FileChange("bin", FileChange.FILE, FileChange.FILE, true, 0, 0, null),
                        new FileChange("run", FileChange.FILE, FileChange.EXECUTABLE, false, 0, 0, null))));
    }
}
