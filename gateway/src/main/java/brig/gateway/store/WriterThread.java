package brig.gateway.store;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The single thread that uses the connection. All waiting work is one transaction (a group commit), each piece within a
 * savepoint, so that a failure does not undo the others. Results are delivered on the event loop after the commit.
 */
final class WriterThread {
    /** Limits how long the first of a group waits for the last. */
    private static final int GROUP_MAX = 256;

    private static final long CLOSE_SECONDS = 10;

    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("brig-store").factory());
    private final LinkedBlockingQueue<Piece<?>> waiting = new LinkedBlockingQueue<>();
    private final Connection connection;
    private final Executor loop;
    private final String begin;

    /** @param mayWrite whether transactions take the write lock at their beginning; it cannot be awaited later */
    WriterThread(Connection connection, boolean mayWrite, Executor loop) {
        this.connection = connection;
        this.begin = mayWrite ? "BEGIN IMMEDIATE" : "BEGIN";
        this.loop = loop;
    }

    /** Work on the connection. */
    interface Work<T> {
        T run(Connection connection) throws SQLException;
    }

    /** Pending work and its result. Owned by the thread, except for the answer. */
    private static final class Piece<T> {
        private final Work<T> work;
        private final CompletableFuture<T> answer = new CompletableFuture<>();
        private @Nullable T result;
        private @Nullable Throwable failure;

        Piece(Work<T> work) {
            this.work = work;
        }

        void run(Connection connection, Statement control) throws SQLException {
            control.execute("SAVEPOINT piece");
            try {
                result = work.run(connection);
            } catch (SQLException | BrigException e) {
                failure = e;
                undo(control, "ROLLBACK TO piece", e);
            }
            control.execute("RELEASE piece");
        }

        void complete(@Nullable Throwable lost) {
            Throwable why = lost == null ? failure : lost;
            if (why == null) {
                answer.complete(result);
            } else {
                answer.completeExceptionally(why);
            }
        }
    }

    /** On a full disk SQLite has already rolled back the whole transaction and reports that: keep the first failure. */
    private static void undo(Statement control, String rollback, Exception why) throws SQLException {
        try {
            control.execute(rollback);
        } catch (SQLException e) {
            if (why instanceof SQLException first) {
                throw first;
            }
            throw e;
        }
    }

    <T> CompletionStage<T> submit(Work<T> work) {
        Piece<T> piece = new Piece<>(work);
        waiting.add(piece);
        thread.execute(this::runGroup);
        return piece.answer;
    }

    private void runGroup() {
        List<Piece<?>> group = new ArrayList<>();
        if (waiting.drainTo(group, GROUP_MAX) == 0) {
            return;
        }
        Throwable lost = commit(group);
        loop.execute(() -> group.forEach(piece -> piece.complete(lost)));
    }

    private @Nullable Throwable commit(List<Piece<?>> group) {
        try (Statement control = connection.createStatement()) {
            control.execute(begin);
            try {
                for (Piece<?> piece : group) {
                    piece.run(connection, control);
                }
                control.execute("COMMIT");
                return null;
            } catch (SQLException e) {
                undo(control, "ROLLBACK", e);
                return e;
            }
        } catch (SQLException e) {
            return e;
        }
    }

    void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the database did not finish within " + CLOSE_SECONDS + " seconds");
            }
            connection.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (SQLException e) {
            throw new BrigException(ErrorCode.INTERNAL, "the database did not close: " + e.getMessage());
        }
    }
}
