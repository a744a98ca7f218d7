package brig.loadtests.report;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * What belongs above figures so that somebody else can have them again.
 *
 * @param absent what could not be compared with, and what to install
 */
public record Heading(String machine, String date, String command, List<String> absent) {
    /** The one for what starts now, here. */
    public static Heading now(String command, List<String> absent) {
        return new Heading(
                Machine.line(), Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(), command, absent);
    }
}
