package brig.workeragent.mock;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.json.Json;
import brig.workeragent.recording.CassetteEntry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Replays a cassette as if it were the agent: writes the recorded output to the same pipes with its timing, and exits
 * with the recorded code. At each recorded input it waits for a line on standard input.
 */
final class Replay {
    private static final long PAUSE_MS_MAX = 3_600_000;

    private Replay() {}

    /** @param arguments {@code replay}, the file, and the speed factor; 0 is without pauses */
    static void play(String[] arguments, InputStream input, OutputStream out, OutputStream err)
            throws IOException, InterruptedException {
        double speed = arguments.length > 2 && !arguments[2].isEmpty() ? Double.parseDouble(arguments[2]) : 1;
        long playedMs = 0;
        try (BufferedReader lines = Files.newBufferedReader(Path.of(arguments[1]));
                BufferedReader told = new BufferedReader(new InputStreamReader(input, UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                CassetteEntry entry = Json.read(line.getBytes(UTF_8), CassetteEntry.class);
                long atMs = entry.t() == null ? playedMs : entry.t();
                if (speed > 0 && atMs > playedMs) {
                    TimeUnit.MILLISECONDS.sleep(Math.min((long) ((atMs - playedMs) / speed), PAUSE_MS_MAX));
                }
                playedMs = Math.max(playedMs, atMs);
                switch (entry.pipe()) {
                    case "stdin" -> told.readLine();
                    case "stdout" -> write(out, entry);
                    case "stderr" -> write(err, entry);
                    case null, default -> {}
                }
                if (entry.exit() != null) {
                    System.exit(entry.exit());
                }
            }
        }
    }

    private static void write(OutputStream pipe, CassetteEntry entry) throws IOException {
        pipe.write(entry.bytes());
        pipe.flush();
    }
}
