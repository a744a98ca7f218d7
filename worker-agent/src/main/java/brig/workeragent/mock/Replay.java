package brig.workeragent.mock;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/**
 * Plays a cassette as if it were the agent: writes what it wrote, in its time, to the same pipes, and ends as it did.
 * Where it was told something, a line of standard input is waited for, so that answers follow their questions.
 */
final class Replay {
    private static final long PAUSE_MS_MAX = 3_600_000;

    private Replay() {}

    /** @param arguments {@code replay}, the file, and how many times as fast; 0 is without pauses */
    static void play(String[] arguments, InputStream input, OutputStream out, OutputStream err)
            throws IOException, InterruptedException {
        double speed = arguments.length > 2 && !arguments[2].isEmpty() ? Double.parseDouble(arguments[2]) : 1;
        long playedMs = 0;
        try (BufferedReader lines = Files.newBufferedReader(Path.of(arguments[1]));
                BufferedReader told = new BufferedReader(new InputStreamReader(input, UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Fields entry = new Fields(Json.parseObject(line.getBytes(UTF_8)));
                long atMs = entry.number("t", 0, Long.MAX_VALUE, playedMs);
                if (speed > 0 && atMs > playedMs) {
                    TimeUnit.MILLISECONDS.sleep(Math.min((long) ((atMs - playedMs) / speed), PAUSE_MS_MAX));
                }
                playedMs = Math.max(playedMs, atMs);
                switch (entry.text("pipe", "")) {
                    case "stdin" -> told.readLine();
                    case "stdout" -> write(out, entry);
                    case "stderr" -> write(err, entry);
                    default -> {}
                }
                if (entry.has("exit")) {
                    System.exit((int) entry.number("exit", 0, 255, 0));
                }
            }
        }
    }

    private static void write(OutputStream pipe, Fields entry) throws IOException {
        String text = entry.text("text");
        pipe.write(text == null ? Base64.getDecoder().decode(entry.text("base64", "")) : text.getBytes(UTF_8));
        pipe.flush();
    }
}
