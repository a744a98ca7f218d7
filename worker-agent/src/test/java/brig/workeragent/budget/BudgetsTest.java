package brig.workeragent.budget;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.budget.Limit;
import brig.egress.budget.PurseSpec;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.spawn.Budget;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BudgetsTest {
    @TempDir
    Path folder;

    private long nowMs = 1_000_000;
    private Budgets budgets;

    @BeforeEach
    void open() {
        budgets = budgets(BudgetConfig.NONE);
    }

    private Budgets budgets(BudgetConfig config) {
        return new Budgets(folder.resolve("budget"), config, () -> nowMs);
    }

    private static Budget budget(String text) {
        return text.isEmpty() ? Budget.NONE : Budget.parse("--budget", text);
    }

    private void admit(String id, String parent, String budget) {
        budgets.admit(id, parent, budget(budget));
    }

    private static PurseSpec usd(String id, long usd) {
        return PurseSpec.ofSession(id, new Limit(usd * 1_000_000_000, null, null));
    }

    @Test
    void shouldChargeEachSessionAndThoseAboveIt() {
        admit("root", null, "5usd,ask");
        admit("child", "root", "");
        admit("grandchild", "child", "2usd");
        assertEquals(List.of(usd("grandchild", 2), usd("root", 5)), budgets.purses("grandchild", "uid:1"));
        assertEquals(List.of(usd("root", 5)), budgets.purses("child", "uid:1"));
        assertEquals(
                Budget.OnLimit.ASK,
                budgets.admit("grandchild", "child", budget("2usd")).onLimit());
        assertEquals(List.of(), budgets.purses("other", "uid:1"));
    }

    @Test
    void shouldChargeTheDayAndTheCaptain() {
        budgets = budgets(new BudgetConfig(9, 0, 0, 70, 1, 1, 1, ""));
        assertEquals(
                List.of(
                        PurseSpec.ofCaptain("uid:1", new Limit(null, 70L, null)),
                        PurseSpec.ofDay(new Limit(9_000_000_000L, null, null))),
                budgets.purses("any", "uid:1"));
    }

    @Test
    void shouldRefusePricesThatAreNone() throws Exception {
        Path file = Files.writeString(folder.resolve("prices.json"), "{\"date\":\"x\"}");
        Path tooLong = Files.write(folder.resolve("long.json"), new byte[1024 * 1024 + 1]);
        Path binary = Files.write(folder.resolve("binary.json"), new byte[] {'{', (byte) 0xff});
        for (String bad : List.of(
                file.toString(),
                folder.resolve("missing").toString(),
                folder.toString(),
                tooLong.toString(),
                binary.toString(),
                "/dev/zero",
                "a\0b")) {
            IllegalArgumentException refusal =
                    assertThrows(IllegalArgumentException.class, () -> new BudgetConfig(0, 0, 0, 0, 1, 1, 1, bad));
            assertTrue(refusal.getMessage().startsWith("prices: "), refusal.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {-1, -1e-9, 1_000_001, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
    void shouldRefuseADayThatCostsNoSum(double usd) {
        assertThrows(IllegalArgumentException.class, () -> new BudgetConfig(usd, 0, 0, 0, 1, 1, 1, ""));
        assertThrows(IllegalArgumentException.class, () -> new BudgetConfig(0, 0, usd, 0, 1, 1, 1, ""));
    }

    @Test
    void shouldWriteNothingOfSessionsWithoutABudget() {
        admit("a", null, "end");
        admit("b", "a", "");
        assertEquals(List.of(), budgets.purses("b", null));
        assertEquals(Budget.OnLimit.END, budgets.admit("a", null, budget("end")).onLimit());
    }

    @Test
    void shouldLimitTheSessionsBelow() {
        admit("root", null, "3spawns");
        admit("a", "root", "1spawns");
        admit("b", "a", "");
        BrigException refusal = assertThrows(BrigException.class, () -> admit("c", "b", ""));
        assertEquals(ErrorCode.BUDGET_EXHAUSTED, refusal.code());
        admit("d", "root", "");
        admit("d", "root", "");
        assertThrows(BrigException.class, () -> admit("e", "root", ""));
    }

    @Test
    void shouldGiveNobodyMoreTimeThanThoseAbove() {
        admit("root", null, "60s");
        nowMs += 20_000;
        Budgets.Terms terms = budgets.admit("child", "root", budget("50s"));
        assertEquals(40_000, terms.wallMs());
        assertEquals(nowMs + 40_000, terms.endsAt());
        assertEquals(10_000, budgets.admit("quick", "child", budget("10s")).wallMs());
        nowMs += 40_000;
        assertEquals(
                ErrorCode.BUDGET_EXHAUSTED,
                assertThrows(BrigException.class, () -> admit("late", "child", ""))
                        .code());
    }

    /** Scenario: the worker-agent is killed, once in the middle of a line. */
    @Test
    void shouldKnowTreesAndRaisesAfterARestart() throws Exception {
        admit("root", null, "5usd,2spawns");
        admit("child", "root", "1usd");
        assertEquals(new Limit(10_000_000_000L, null, null), budgets.raise("root"));
        assertNull(budgets.raise("unknown"));
        Path file = folder.resolve("budget/sessions.jsonl");
        Files.writeString(file, "{\"kind\":\"admitted\",\"spawn", StandardOpenOption.APPEND);
        budgets = budgets(BudgetConfig.NONE);
        assertEquals(List.of(usd("child", 1), usd("root", 10)), budgets.purses("child", null));
        budgets = budgets(BudgetConfig.NONE);
        assertEquals(List.of(usd("root", 15)), List.of(PurseSpec.ofSession("root", budgets.raise("root"))));
        admit("second", "root", "");
        assertThrows(BrigException.class, () -> admit("third", "root", ""));
        assertEquals(
                "rw-------",
                java.nio.file.attribute.PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }

    @Test
    void shouldForgetOldSessions() {
        admit("root", null, "5usd");
        nowMs += Budgets.KEPT_MS + 1;
        admit("new", null, "5usd");
        budgets = budgets(BudgetConfig.NONE);
        assertEquals(List.of(), budgets.purses("root", null));
        assertFalse(budgets.purses("new", null).isEmpty());
    }
}
