package brig.workeragent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How asks of real programs ended: a table in the module's folder of reports, one line for each cell. Thread-safe. */
public final class AskReport {
    private static final Path FILE = Path.of("build/reports/asks.tsv");

    private final List<String> lines = new ArrayList<>();

    /** @param outcome what became of the ask and its turn */
    public synchronized void add(String program, boolean child, String what, String outcome, long millis) {
        lines.add(String.join("\t", program, child ? "sub-agent" : "root", what, outcome, String.valueOf(millis)));
    }

    public synchronized void write() throws IOException {
        List<String> all = new ArrayList<>(List.of("program\tagent\tcase\toutcome\tms"));
        all.addAll(lines.stream().sorted().toList());
        Files.createDirectories(FILE.getParent());
        Files.write(FILE, all);
    }
}
