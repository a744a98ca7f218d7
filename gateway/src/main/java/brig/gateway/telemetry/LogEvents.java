package brig.gateway.telemetry;

import brig.protocol.json.JsonObject;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/** Log events with fields. A field has the same name everywhere: {@code spawn_id}, {@code task_id}, {@code captain}. */
public final class LogEvents {
    /** Who started and ended which worker; it has a level of its own, see config/logback.xml. */
    private static final Logger AUDIT = LoggerFactory.getLogger("brig.audit");

    private LogEvents() {}

    /** Logs an event; null fields are omitted. */
    public static void log(Logger logger, Level level, String message, JsonObject fields) {
        LoggingEventBuilder event = logger.atLevel(level);
        for (String name : fields.names()) {
            event = event.addKeyValue(name, fields.value(name));
        }
        event.log("{}", message);
    }

    /** Logs an action for the audit. */
    public static void audit(String action, JsonObject fields) {
        log(AUDIT, Level.INFO, action, fields);
    }
}
