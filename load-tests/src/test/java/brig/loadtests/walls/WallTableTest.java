package brig.loadtests.walls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import brig.protocol.spawn.WallKind;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WallTableTest {
    private final WallFigures bwrap = new WallFigures(WallKind.BWRAP);
    private final WallFigures gvisor = new WallFigures(WallKind.GVISOR);
    private final WallFigures vm = new WallFigures(WallKind.VM);
    private final WallTable table = new WallTable(List.of(bwrap, gvisor, vm));

    private static JsonObject posture(String... statuses) {
        return JsonObject.of(Map.of(
                "properties",
                List.of(statuses).stream()
                        .map(status -> Map.of("name", "one", "status", status))
                        .toList()));
    }

    private String line(String beginning) {
        return table.lines().stream()
                .filter(line -> line.startsWith(beginning))
                .findFirst()
                .orElse("")
                .replaceAll(" +", " ");
    }

    @Test
    void shouldShowMediansWithTheirRatioToBubblewrap() {
        for (double value : new double[] {30, 10, 20}) {
            bwrap.add(Measure.GIT, value);
            gvisor.add(Measure.GIT, value * 5);
        }
        assertEquals("git status, ms 20.0 100 (5.00x) -", line("git status"));
        assertEquals("", line("npm ci"), "what was not measured has no row");
    }

    @Test
    void shouldShowThe95thPercentileOfStarts() {
        for (int i = 1; i <= 20; i++) {
            bwrap.add(Measure.START, i);
            vm.add(Measure.START, 1000 * i);
        }
        assertEquals("start, ms p50 10.0 - 10000 (1000x)", line("start, ms p50"));
        assertEquals("start, ms p95 19.0 - 19000 (1000x)", line("start, ms p95"));
    }

    @Test
    void shouldSayWhatIsMissingOrTookTooLong() {
        gvisor.isMissing("WALL_UNAVAILABLE: install runsc");
        vm.add(Measure.GIT, 1);
        vm.end(Measure.GIT, new Taken.Longer(120));
        bwrap.end(Measure.NPM, new Taken.Failed("no npm"));
        assertEquals("git status, ms - - > 120 s", line("git status"));
        assertEquals("gvisor is missing: WALL_UNAVAILABLE: install runsc", line("gvisor is"));
        assertEquals("bwrap, npm ci, ms: no npm", line("bwrap, npm"));
        assertFalse(gvisor.goesOn(Measure.START));
        assertFalse(vm.goesOn(Measure.GIT));
        assertTrue(vm.goesOn(Measure.NPM));
        assertNull(table.ratio(vm, Measure.GIT, 50), "without a value");
    }

    @Test
    void shouldTellTheSameAsJson() {
        bwrap.measuredFromInside(posture("OK"));
        bwrap.add(Measure.MEMORY, 2);
        gvisor.add(Measure.MEMORY, 40);
        vm.end(Measure.MEMORY, new Taken.Longer(7));
        JsonObject all = table.json();
        assertEquals(20.0, all.object("gvisor").object("idle_mib").value("times_bwrap"));
        assertEquals(List.of(40.0), all.object("gvisor").object("idle_mib").elements("values"));
        assertNull(all.object("bwrap").object("idle_mib").value("times_bwrap"));
        assertEquals(7, all.object("vm").object("idle_mib").number("longer_than_s", 0));
        assertEquals(
                1, all.object("bwrap").object("posture").objects("properties").size());
    }

    @Test
    void shouldBeWellUnlessAWallThatIsHereFailed() {
        bwrap.measuredFromInside(posture("OK", "OK"));
        gvisor.isMissing("none");
        vm.end(Measure.GIT, new Taken.Longer(1));
        assertTrue(table.isWell());
        assertEquals("posture, of it hold 2 of 2 - -", line("posture"));
        vm.measuredFromInside(posture("OK", "FAIL"));
        assertFalse(table.isWell());
        assertEquals("posture, of it hold 2 of 2 - 1 of 2", line("posture"));
    }

    @Test
    void shouldNotBeWellAfterAFailedRun() {
        bwrap.end(Measure.GIT, new Taken.Failed("no git"));
        assertFalse(table.isWell());
    }
}
