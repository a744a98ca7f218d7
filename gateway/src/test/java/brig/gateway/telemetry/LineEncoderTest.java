package brig.gateway.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Ids;
import brig.protocol.json.JsonObject;
import brig.protocol.log.LineEncoder;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.event.KeyValuePair;

class LineEncoderTest {
    private final LoggerContext context = new LoggerContext();

    private String line(String format, String message, Throwable thrown, KeyValuePair... fields) {
        LineEncoder encoder = new LineEncoder(() -> format.equals("json"));
        LoggingEvent event =
                new LoggingEvent("", context.getLogger("brig.gateway.spawn.Spawn"), Level.INFO, message, thrown, null);
        List.of(fields).forEach(event::addKeyValuePair);
        return new String(encoder.encode(event), StandardCharsets.UTF_8);
    }

    private static JsonObject parsed(String line) {
        return JsonObject.read(line.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldWriteTheSameFieldsForPeopleAndMachines() {
        KeyValuePair id = new KeyValuePair("spawn_id", "spn_1");
        KeyValuePair none = new KeyValuePair("session_id", null);
        KeyValuePair took = new KeyValuePair("duration_ms", 17L);
        KeyValuePair rule = new KeyValuePair("rule", "no \"such\" host");
        KeyValuePair mark = new KeyValuePair("mark", "a\"b");
        String text = line("text", "transition", null, id, none, took, rule, mark);
        assertTrue(
                text.matches("\\S+T\\S+ INFO  Spawn transition spawn_id=spn_1 session_id=- duration_ms=17"
                        + " rule=\"no \\\\\"such\\\\\" host\" mark=\"a\\\\\"b\"\n"),
                text);
        JsonObject json = parsed(line("json", "transition", null, id, none, took, rule, mark));
        assertEquals("transition", json.text("message"));
        assertEquals("INFO", json.text("level"));
        assertEquals("Spawn", json.text("logger"));
        assertEquals("spn_1", json.text("spawn_id"));
        assertTrue(json.names().contains("session_id"));
        assertEquals(17, json.number("duration_ms", 0));
        assertEquals("no \"such\" host", json.text("rule"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", "json"})
    void shouldLetNoSecretThroughWhereverItStands(String format) {
        String token = Ids.newToken();
        String line = line(
                format,
                "GET /x?token=" + token + " failed for " + token,
                new IllegalStateException("bearer " + token, new IllegalArgumentException("https://me:hunter2@host/")),
                new KeyValuePair("url", "https://me:hunter2@host/"),
                new KeyValuePair("auth_token", "short"),
                new KeyValuePair("note", "key sk-abcdefghijklmnop1234"));
        for (String secret : List.of(token, token.substring(10), "hunter2", "short", "sk-abc")) {
            assertFalse(line.contains(secret), line);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", "json"})
    void shouldBeOneLineWhateverIsInIt(String format) {
        String line = line(
                format,
                "first\n2026-01-01T00:00:00Z INFO Spawn forged\r\u001b[2J\u2028",
                new IllegalStateException("a\nb", new UncheckedIOException(new IOException("below"))),
                new KeyValuePair("rule", "x\ny"));
        assertEquals(1, line.lines().count(), line);
        assertTrue(line.endsWith("\n"));
        assertEquals(line.length() - 1, line.indexOf('\n'), line);
        assertFalse(line.contains("\u001b"), line);
        assertFalse(format.equals("text") && line.contains("\u2028"), line);
        assertTrue(line.contains("caused by java.io.IOException: below"), line);
        assertTrue(line.contains("IllegalStateException") && line.contains("LineEncoderTest"), "with its stack trace");
    }
}
