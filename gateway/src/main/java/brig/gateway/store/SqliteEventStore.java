package brig.gateway.store;

import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The newest hook events, in a {@link Database}. Each addition says which older ones may be deleted.
 *
 * <p>Decision 0035.
 */
public final class SqliteEventStore {
    private final Database database;

    public SqliteEventStore(Database database) {
        this.database = database;
    }

    /** Inserts an event and deletes those before {@code firstKept}. */
    public CompletionStage<Void> add(EventRecord event, long firstKept) {
        return database.write(connection -> {
            Database.execute(
                    connection,
                    "INSERT INTO events (seq, epoch, spawn_id, session_id, event) VALUES (?,?,?,?,?)",
                    event.seq(),
                    event.epoch(),
                    event.spawnId(),
                    event.sessionId(),
                    event.json());
            Database.execute(connection, "DELETE FROM events WHERE seq < ?", firstKept);
        });
    }

    /** All stored events, oldest first. */
    public CompletionStage<List<EventRecord>> load() {
        return database.read(connection -> {
            List<EventRecord> events = new ArrayList<>();
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(
                            "SELECT seq, epoch, spawn_id, session_id, event FROM events ORDER BY seq")) {
                while (row.next()) {
                    events.add(new EventRecord(
                            row.getString("epoch"),
                            row.getLong("seq"),
                            row.getString("spawn_id"),
                            row.getString("session_id"),
                            row.getString("event")));
                }
            }
            return events;
        });
    }
}
