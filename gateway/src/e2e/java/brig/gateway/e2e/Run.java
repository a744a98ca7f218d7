package brig.gateway.e2e;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What a program printed and how it ended. */
record Run(int exitCode, String out, String err) {
    private static final long SECONDS_MAX = 60;

    /** Runs it to its end; its output goes through files, so that it never waits for us. */
    static Run of(List<String> command, String input, Path folder) throws IOException {
        return of(command, input, folder, SECONDS_MAX);
    }

    static Run of(List<String> command, String input, Path folder, long secondsMax) throws IOException {
        Path in = Files.writeString(Files.createTempFile(folder, "in", ""), input);
        Path out = Files.createTempFile(folder, "out", "");
        Path err = Files.createTempFile(folder, "err", "");
        Process run = new ProcessBuilder(command)
                .redirectInput(in.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            if (!run.waitFor(secondsMax, TimeUnit.SECONDS)) {
                throw new AssertionError(command + " did not end: " + Files.readString(err));
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            run.destroyForcibly();
        }
        return new Run(run.exitValue(), Files.readString(out), Files.readString(err));
    }

    JsonObject json() {
        return JsonObject.read(out.getBytes(StandardCharsets.UTF_8));
    }
}
