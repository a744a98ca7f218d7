package brig.loadtests.whole;

import brig.loadtests.product.AgentFile;
import brig.loadtests.product.Brig;
import brig.loadtests.product.HttpWire;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What goes on beside quiet streams, until it is closed. */
public sealed interface Disturbance extends AutoCloseable {
    /** The kinds of it. */
    enum Kind {
        /** An agent writes as fast as it can, and one reader reads all of it. */
        FLOOD,
        /** See {@link Download}. */
        DOWNLOAD,
        /** Agents compute, one for each core, and write nothing: what CPU alone does. */
        BUSY;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Bytes that its client has read so far. */
    long bytes() throws IOException;

    @Override
    void close() throws IOException;

    /** The agents that make it. */
    static Map<String, AgentFile> agents() {
        return Map.of(
                Kind.FLOOD.toString(),
                AgentFile.spawned("Floods", List.of("/usr/bin/yes", "x".repeat(Flood.LINE_BYTES - 1)), "null"),
                Kind.DOWNLOAD.toString(),
                AgentFile.installed(
                        "Serves a file",
                        List.of("{program}", "serve", String.valueOf(Load.PORT), String.valueOf(Download.FILE_BYTES)),
                        "lib/load-tests/brig-pace"),
                Kind.BUSY.toString(),
                AgentFile.spawned("Computes", List.of("/bin/sh", "-c", "while :; do :; done"), "null"));
    }

    /** Begins it. */
    static Disturbance begin(Kind kind, Brig brig, HttpWire.Place place) throws IOException {
        int agents = kind == Kind.BUSY ? Runtime.getRuntime().availableProcessors() : 1;
        Sessions sessions = Sessions.spawn(place, kind.toString(), agents);
        return switch (kind) {
            case FLOOD ->
                new Flood(sessions, PaceReaders.start(brig.httpSocket(), sessions.ids(), 1, Flood.FOREVER_MS, 0));
            case DOWNLOAD ->
                new Load(sessions, Download.start(place, sessions.ids().getFirst(), Load.PORT));
            case BUSY -> new Busy(sessions);
        };
    }

    /** Of {@link Kind#FLOOD}. */
    record Flood(Sessions sessions, PaceReaders reader) implements Disturbance {
        private static final int LINE_BYTES = 60;
        private static final long FOREVER_MS = 3_600_000;

        @Override
        public long bytes() throws IOException {
            return reader.readBytes();
        }

        @Override
        public void close() throws IOException {
            reader.close();
            sessions.close();
        }
    }

    /** Of {@link Kind#DOWNLOAD}. */
    record Load(Sessions sessions, Download client) implements Disturbance {
        private static final int PORT = 3000;

        @Override
        public long bytes() throws IOException {
            return client.loadedBytes();
        }

        @Override
        public void close() throws IOException {
            client.close();
            sessions.close();
        }
    }

    /** Of {@link Kind#BUSY}. */
    record Busy(Sessions sessions) implements Disturbance {
        @Override
        public long bytes() {
            return 0;
        }

        @Override
        public void close() throws IOException {
            sessions.close();
        }
    }
}
