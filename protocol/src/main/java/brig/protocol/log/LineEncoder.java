package brig.protocol.log;

import brig.protocol.VisibleText;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.event.KeyValuePair;

/**
 * Encodes a log event as one line: for people {@code time LEVEL Logger message key=value …}, for machines a JSON object
 * with the same fields. All log output passes through it, so it removes secrets and escapes line ends; callers need
 * not.
 *
 * <p>Decision 0099.
 */
public final class LineEncoder extends EncoderBase<ILoggingEvent> {
    /** The system property set from {@code log.format}; read for each event, since loggers exist before it is set. */
    public static final String FORMAT_PROPERTY = "brig.logFormat";

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX").withZone(ZoneId.systemDefault());
    private static final byte[] NOTHING = {};
    private static final String ABSENT = "-";
    /** The longest name of a level, and a space. */
    private static final int LEVEL_COLUMNS = 6;

    private final BooleanSupplier json;

    /** Called by logback, see config/logback.xml. */
    public LineEncoder() {
        this(() -> System.getProperty(FORMAT_PROPERTY, "text").equals("json"));
    }

    public LineEncoder(BooleanSupplier json) {
        this.json = json;
    }

    @Override
    public byte[] headerBytes() {
        return NOTHING;
    }

    @Override
    public byte[] footerBytes() {
        return NOTHING;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        return json.getAsBoolean() ? Json.writeLine(object(event)) : text(event).getBytes(StandardCharsets.UTF_8);
    }

    private static String logger(ILoggingEvent event) {
        String name = event.getLoggerName();
        return name.substring(name.lastIndexOf('.') + 1);
    }

    private static JsonObject object(ILoggingEvent event) {
        JsonObject.Builder line = JsonObject.builder();
        line.put("time", TIME.format(event.getInstant()));
        line.put("level", event.getLevel().toString());
        line.put("logger", logger(event));
        line.put("message", Redaction.mask(event.getFormattedMessage()));
        for (KeyValuePair field : fields(event)) {
            line.put(
                    field.key,
                    field.value instanceof Long || field.value instanceof Integer
                            ? field.value
                            : field.value == null ? null : Redaction.mask(field.key, String.valueOf(field.value)));
        }
        IThrowableProxy thrown = event.getThrowableProxy();
        if (thrown != null) {
            line.put("error", Redaction.mask(trace(thrown, "\n")));
        }
        return line.build();
    }

    private static String text(ILoggingEvent event) {
        StringBuilder line = new StringBuilder();
        line.append(TIME.format(event.getInstant()))
                .append(' ')
                .append(event.getLevel())
                .append(" ".repeat(LEVEL_COLUMNS - event.getLevel().toString().length()))
                .append(logger(event))
                .append(' ')
                .append(VisibleText.of(Redaction.mask(event.getFormattedMessage())));
        for (KeyValuePair field : fields(event)) {
            line.append(' ')
                    .append(field.key)
                    .append('=')
                    .append(
                            field.value == null
                                    ? ABSENT
                                    : quoted(VisibleText.of(Redaction.mask(field.key, String.valueOf(field.value)))));
        }
        IThrowableProxy thrown = event.getThrowableProxy();
        if (thrown != null) {
            line.append(" | ").append(VisibleText.of(Redaction.mask(trace(thrown, " | "))));
        }
        return line.append('\n').toString();
    }

    private static List<KeyValuePair> fields(ILoggingEvent event) {
        List<KeyValuePair> fields = event.getKeyValuePairs();
        return fields == null ? List.of() : fields;
    }

    private static String trace(IThrowableProxy thrown, String between) {
        StringBuilder trace = new StringBuilder();
        for (IThrowableProxy one = thrown; one != null; one = one.getCause()) {
            trace.append(one == thrown ? "" : between + "caused by ")
                    .append(one.getClassName())
                    .append(": ")
                    .append(one.getMessage());
            for (StackTraceElementProxy frame : one.getStackTraceElementProxyArray()) {
                trace.append(between).append(frame.getSTEAsString());
            }
        }
        return trace.toString();
    }

    private static String quoted(String value) {
        boolean plain = !value.isEmpty() && value.indexOf(' ') < 0 && value.indexOf('"') < 0;
        return plain ? value : '"' + value.replace("\"", "\\\"") + '"';
    }
}
