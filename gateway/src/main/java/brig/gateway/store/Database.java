package brig.gateway.store;

import brig.gateway.telemetry.Counters;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteJDBCLoader;

/**
 * One SQLite file, written by one thread. The write-ahead log with {@code synchronous=NORMAL} survives the death of the
 * process; a power cut may lose the last moments, but it also ends the workers concerned. A file of a later version of
 * Brig is read-only.
 *
 * <p>Callers name columns in every statement and update rows in place, so that columns added by a later version keep
 * their values.
 *
 * <p>Decisions 0037, 0129.
 */
public final class Database {
    private static final Logger log = LoggerFactory.getLogger(Database.class);

    private static final int SQLITE_CORRUPT = 11;
    private static final int SQLITE_NOTADB = 26;

    private final Path file;
    private final int version;
    private final WriterThread writer;
    private final Counters counters;
    private Consumer<Throwable> writeFailed = failure -> {};

    /** Loads SQLite's library, for which the first database would wait. */
    public static void loadEngine() {
        try {
            SQLiteJDBCLoader.initialize();
        } catch (Exception e) {
            log.debug("the first database tells why: {}", e.toString());
        }
    }

    /** Opens or creates the file. @throws BrigException if it cannot be opened, naming it */
    public Database(Path file, Executor loop, Counters counters) {
        this.file = file;
        this.counters = counters;
        try {
            if (!Files.exists(file)) {
                // Created before SQLite does, so never readable by others; its companions take its mode.
                Files.createFile(
                        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            }
            Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
            version = prepare(connection);
            writer = new WriterThread(connection, !isReadOnly(), loop);
        } catch (SQLException | IOException e) {
            throw refusal(e);
        }
        if (isReadOnly()) {
            log.warn("{}", readOnly());
        }
    }

    private static int prepare(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            int found = Schema.versionOf(connection);
            if (found > Schema.VERSION) {
                statement.execute("PRAGMA query_only=ON");
                return found;
            }
            statement.execute("PRAGMA journal_mode=WAL");
            statement.execute("PRAGMA synchronous=NORMAL");
        }
        Schema.migrate(connection);
        return Schema.VERSION;
    }

    /** Whether a later version of Brig wrote it, so that it is not written to. */
    public boolean isReadOnly() {
        return version > Schema.VERSION;
    }

    /** Why it is not written to. */
    public String readOnly() {
        return "the database " + file + " has schema version " + version + ", this Brig knows " + Schema.VERSION
                + ": it is only read, and nothing can be started; use the Brig that wrote it, or another stateDir";
    }

    private BrigException refusal(Exception why) {
        boolean damaged = why instanceof SQLException sql
                && (sql.getErrorCode() == SQLITE_CORRUPT || sql.getErrorCode() == SQLITE_NOTADB);
        return new BrigException(
                ErrorCode.RECORD_LOST,
                "the database " + file + " cannot be read or written: "
                        + why.getMessage()
                        + (damaged ? "; 'brig recover' keeps it aside and makes another of the recorded streams" : ""));
    }

    /** Converts errors of SQLite to refusals that clients may see. */
    private <T> CompletionStage<T> told(CompletionStage<T> answer, Consumer<Throwable> listener) {
        return answer.exceptionallyCompose(failure -> {
            if (failure instanceof SQLException why) {
                listener.accept(why);
                return CompletableFuture.failedFuture(refusal(why));
            }
            return CompletableFuture.failedFuture(failure);
        });
    }

    /** Sets the listener for failed writes, called on the event loop. */
    public void watch(Consumer<Throwable> listener) {
        writeFailed = listener;
    }

    /** Writes without changing anything, to test whether writing works. */
    public CompletionStage<Void> touch() {
        return write(connection -> execute(connection, "UPDATE schema_version SET version = version"));
    }

    /** An atomic change. */
    interface Change {
        void run(Connection connection) throws SQLException;
    }

    /** Completes on the event loop when the change would survive the death of this process. */
    CompletionStage<Void> write(Change change) {
        return change(connection -> {
                    change.run(connection);
                    return true;
                })
                .thenAccept(done -> {});
    }

    /** As {@link #write}, for a change with a result. */
    <T> CompletionStage<T> change(WriterThread.Work<T> change) {
        if (isReadOnly()) {
            return CompletableFuture.failedFuture(new BrigException(ErrorCode.RECORD_LOST, readOnly()));
        }
        long begunNanos = counters.nanoTime();
        return told(writer.submit(change), failure -> writeFailed.accept(failure))
                .whenComplete((done, failure) -> counters.handleStored(counters.secondsSince(begunNanos)));
    }

    <T> CompletionStage<T> read(WriterThread.Work<T> work) {
        return told(writer.submit(work), failure -> {});
    }

    /** Completes pending work and closes. Blocks; called when the event loop has stopped. */
    public void close() {
        writer.close();
    }

    static int execute(Connection connection, String sql, @Nullable Object... values) throws SQLException {
        try (PreparedStatement statement = prepared(connection, sql, values)) {
            return statement.executeUpdate();
        }
    }

    static PreparedStatement prepared(Connection connection, String sql, @Nullable Object... values)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }
}
