package brig.workeragent;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Tells where a program is executed, while this is open: behind a wall or on the host. Needs root. */
public final class ExecWatch implements AutoCloseable {
    private final Process watch;
    private final BufferedReader said;

    /** @param folder on the file system where that program lies */
    public ExecWatch(Path folder, String program) throws IOException {
        watch = new ProcessBuilder(System.getProperty("brig.hostile") + "/exec-watch", folder.toString(), program)
                .redirectErrorStream(true)
                .start();
        said = watch.inputReader(UTF_8);
        String first = said.readLine();
        if (!"ready".equals(first)) {
            throw new AssertionError("programs cannot be watched here: " + first);
        }
    }

    /** Ends it. @return "walled PATH" or "host PATH" for each time that it was executed */
    public List<String> seen() throws IOException {
        watch.getOutputStream().close();
        return said.lines().toList();
    }

    @Override
    public void close() {
        watch.destroyForcibly();
    }
}
