package brig.gateway.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.ApplyAnswer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class WorktreeChangesTest {
    private String patch = "+two\n";
    private boolean truncated;
    private boolean applied;
    private List<String> conflicts = List.of();

    private ApplyAnswer found() {
        return new ApplyAnswer(
                "spn_1", "/home/ann/shop", " a.txt | 1 +\n", patch, truncated, applied, conflicts, List.of());
    }

    private String told(WorktreeChanges.Apply apply) {
        return new WorktreeChanges((spawnId, check) -> {
                    assertEquals(apply != WorktreeChanges.Apply.AUTO, check);
                    return CompletableFuture.completedFuture(found());
                })
                .after("spn_1", apply)
                .toCompletableFuture()
                .join();
    }

    @Test
    void shouldSayHowChangesAreTakenOver() {
        assertEquals("""


                ---
                These changes are in a worktree of their own, and not in /home/ann/shop until somebody runs: brig apply spn_1

                ```
                 a.txt | 1 +
                ```

                ```diff
                +two
                ```
                """, told(WorktreeChanges.Apply.ASK));
        assertTrue(told(WorktreeChanges.Apply.NEVER).contains("by the setting apply: never"));
        applied = true;
        assertTrue(told(WorktreeChanges.Apply.AUTO).contains("Brig took these changes over into /home/ann/shop:"));
    }

    @Test
    void shouldSayPlainlyThatTheyConflict() {
        conflicts = List.of("patch failed: a.txt:1", "a.txt: patch does not apply");
        String told = told(WorktreeChanges.Apply.AUTO);
        assertTrue(
                told.contains(
                        "conflict with what is there (patch failed: a.txt:1; a.txt: patch does not apply). Nothing was changed."),
                told);
    }

    @Test
    void shouldSayNothingWhereNothingChanged() {
        patch = "";
        assertEquals("", told(WorktreeChanges.Apply.ASK));
    }

    @Test
    void shouldNotLetAPatchEndTheBlockThatItStandsIn() {
        patch = "+```\n+````\n";
        assertTrue(
                told(WorktreeChanges.Apply.ASK).contains("`````diff\n+```\n+````\n`````\n"),
                told(WorktreeChanges.Apply.ASK));
    }

    @Test
    void shouldCutALongPatchOffAndSaySo() {
        patch = "+" + "x".repeat(40_000) + "END";
        String told = told(WorktreeChanges.Apply.ASK);
        assertTrue(told.contains("[cut off: brig diff spn_1 has more]") && !told.contains("END"));
        assertTrue(told.length() < 34_000);
        patch = "+x\n";
        truncated = true;
        assertTrue(told(WorktreeChanges.Apply.ASK).contains("[cut off: "));
    }

    private static String afterFailure(ErrorCode code) {
        return new WorktreeChanges((spawnId, check) -> CompletableFuture.failedFuture(new BrigException(code, "why")))
                .after("spn_1", WorktreeChanges.Apply.ASK)
                .toCompletableFuture()
                .join();
    }

    @Test
    void shouldNeverFailForTheAnswerIsThere() {
        assertEquals("", afterFailure(ErrorCode.NOT_FOUND), "a worktree without changes goes with its worker");
        assertTrue(
                afterFailure(ErrorCode.INVALID_FIELD).contains("could not look at the changes: why (INVALID_FIELD)"));
    }

    @Test
    void shouldKnowThreeSettings() {
        assertEquals(WorktreeChanges.Apply.ASK, WorktreeChanges.Apply.read(null));
        assertEquals(WorktreeChanges.Apply.AUTO, WorktreeChanges.Apply.read("auto"));
        assertEquals(
                ErrorCode.INVALID_FIELD,
                assertThrows(BrigException.class, () -> WorktreeChanges.Apply.read("always"))
                        .code());
        assertFalse(told(WorktreeChanges.Apply.ASK).isEmpty());
    }
}
