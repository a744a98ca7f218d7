package brig.gateway.telemetry;

import brig.protocol.json.JsonObject;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/** Events with fields. A field has one name wherever it is written: {@code spawn_id}, {@code task_id}, {@code captain}. */
public final class LogEvents {
    /** Who had which worker started and ended: its level is one of its own, see config/logback.xml. */
    private static final Logger AUDIT = LoggerFactory.getLogger("brig.audit");

    private LogEvents() {}

    /** Logs an event; a field that is null is written as absent. */
    public static void log(Logger logger, Level level, String message, JsonObject fields) {
        LoggingEventBuilder event = logger.atLevel(level);
        for (String name : fields.names()) {
            event = event.addKeyValue(name, fields.value(name));
        }
        event.log("{}", message);
    }

    /** Logs what somebody did. */
    public static void audit(String action, JsonObject fields) {
        log(AUDIT, Level.INFO, action, fields);
    }
}
