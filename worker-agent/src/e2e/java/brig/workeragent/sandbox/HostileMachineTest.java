package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an agent may say to Brig's end of a virtual machine once it has broken into the machine's kernel. */
@Timeout(300)
@Tag("slow")
class HostileMachineTest {
    private static final Path PROGRAM = Path.of(System.getProperty("brig.hostile", "/none"), "hostile-machine");

    /** The program is built to stop at faults of memory. */
    @Test
    void shouldGiveUpALinkWhoseMachineBreaksTheRules() throws Exception {
        Process process = new ProcessBuilder(PROGRAM.toString(), "1", "2000")
                .redirectErrorStream(true)
                .start();
        String said = text(process);
        assertEquals(0, process.waitFor(), said);
        for (String reason : List.of(
                "a frame of no known type",
                "a frame that is too long",
                "a stream that cannot be",
                "a stream that cannot be opened",
                "a stream that is not there",
                "more data than was allowed",
                "more credit than there is",
                "a credit",
                "a note that is too long",
                "a datagram",
                "closed")) {
            assertTrue(said.lines().anyMatch(line -> line.endsWith(" " + reason)), () -> reason + " is not in " + said);
        }
    }

    private static String text(Process process) throws IOException {
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
