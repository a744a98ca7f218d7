package brig.loadtests.report;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * The context of results, needed to reproduce them.
 *
 * @param absent missing peers, and what to install
 */
public record Heading(String machine, String date, String command, List<String> absent) {
    /** The heading of a run that starts now on this host. */
    public static Heading now(String command, List<String> absent) {
        return new Heading(
                Machine.line(), Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(), command, absent);
    }
}
