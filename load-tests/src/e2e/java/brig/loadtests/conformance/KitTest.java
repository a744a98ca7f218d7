package brig.loadtests.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.loadtests.client.StreamTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The kit passes a faithful server, and each single defect makes the check fail that is there for it. */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
@Tag("slow")
class KitTest {
    /** Says nothing. */
    private static final Kit.Listener QUIET = new ProgressLines(null, false, 0);

    private static List<Kit.Result> run(Defect defect, String name, StreamTransport way) throws IOException {
        List<Check> checks = Kit.checks().stream()
                .filter(check -> name.isEmpty() || check.name().equals(name))
                .filter(check -> check.ways().contains(way))
                .map(check -> new Check(
                        check.name(),
                        check.clause(),
                        check.rule(),
                        check.says(),
                        Set.of(way),
                        check.needs(),
                        check.body()))
                .toList();
        assertFalse(checks.isEmpty(), () -> "no check " + name + " over " + way);
        try (MiniServer server = new MiniServer(defect)) {
            return Kit.run(checks, server.target(), QUIET);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldPassEverythingWhenServerIsFaithful(StreamTransport way) throws IOException {
        List<String> faults = run(Defect.NONE, "", way).stream()
                .filter(result -> result.verdict() != Kit.Verdict.OK)
                .map(result -> result.check().name() + ": " + result.fault())
                .toList();
        assertEquals(List.of(), faults);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void shouldFailTheCheckWhenServerHasTheDefect(Defect defect) throws IOException {
        List<Kit.Result> results = run(defect, defect.check(), defect.way());
        assertTrue(results.stream().anyMatch(result -> result.verdict() == Kit.Verdict.FAIL), defect::toString);
        for (Kit.Result result : results) {
            assertFalse(result.fault().startsWith("java.lang."), () -> "an exception of the kit: " + result.fault());
        }
    }

    @Test
    void shouldHaveDefectForEveryCheck() {
        List<String> defects = Arrays.stream(Defect.values()).map(Defect::check).toList();
        List<String> unproved = Kit.checks().stream()
                .map(Check::name)
                .filter(name -> !defects.contains(name))
                .toList();
        assertEquals(List.of(), unproved);
    }

    @Test
    void shouldQuoteProtocolWordForWord() throws IOException {
        String page = Files.readString(Path.of("../protocol/PROTOCOL.md"));
        for (Check check : Kit.checks()) {
            String section = section(page, check.clause());
            assertTrue(section.contains(check.rule()), () -> check.clause() + " does not say: " + check.rule());
        }
    }

    private static String section(String page, String clause) {
        return Stream.of(page.split("\n(?=#{2,3} )"))
                .filter(part -> part.matches("(?s)#+ " + clause + "[. ].*"))
                .findFirst()
                .orElseThrow()
                .replaceAll("\\s*\n[- ]*", " ");
    }
}
