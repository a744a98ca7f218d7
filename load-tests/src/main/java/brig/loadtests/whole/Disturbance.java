package brig.loadtests.whole;

import brig.loadtests.product.AgentFile;
import brig.loadtests.product.Brig;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What goes on beside quiet streams, until it is closed. */
public final class Disturbance implements AutoCloseable {
    private static final int PORT = 3000;
    private static final int LINE_BYTES = 60;
    private static final long FOREVER_MS = 3_600_000;

    /** The kinds of it. */
    public enum Kind {
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

    /** Whoever reads what the agents make. */
    public interface Client extends AutoCloseable {
        /** Read so far. @throws IOException also if it failed */
        long readBytes() throws IOException;

        @Override
        void close() throws IOException;
    }

    private static final class NoClient implements Client {
        @Override
        public long readBytes() {
            return 0;
        }

        @Override
        public void close() {}
    }

    private final Sessions sessions;
    private final List<String> ids;
    private final Client client;

    private Disturbance(Sessions sessions, List<String> ids, Client client) {
        this.sessions = sessions;
        this.ids = ids;
        this.client = client;
    }

    /** The profiles that it needs. */
    public static Map<String, AgentFile> agents() {
        return Map.of(
                Kind.FLOOD.toString(),
                AgentFile.spawned("Floods", List.of("/usr/bin/yes", "x".repeat(LINE_BYTES - 1)), "null"),
                Kind.DOWNLOAD.toString(),
                AgentFile.installed(
                        "Serves a file",
                        List.of("{program}", "serve", String.valueOf(PORT), String.valueOf(Download.FILE_BYTES)),
                        "lib/load-tests/brig-pace"),
                Kind.BUSY.toString(),
                AgentFile.spawned("Computes", List.of("/bin/sh", "-c", "while :; do :; done"), "null"));
    }

    /** Begins it. */
    public static Disturbance begin(Kind kind, Brig brig) throws IOException {
        int agents = kind == Kind.BUSY ? Runtime.getRuntime().availableProcessors() : 1;
        Sessions sessions = Sessions.of(brig);
        List<String> ids = sessions.spawn(kind.toString(), agents);
        Client client = switch (kind) {
            case FLOOD -> PaceReaders.start(brig.httpSocket(), ids, 1, FOREVER_MS, 0);
            case DOWNLOAD -> Download.start(sessions.place(), ids.getFirst(), PORT);
            case BUSY -> new NoClient();
        };
        return new Disturbance(sessions, ids, client);
    }

    /** Bytes that its client has read so far. */
    public long bytes() throws IOException {
        return client.readBytes();
    }

    @Override
    public void close() throws IOException {
        client.close();
        sessions.terminate(ids);
    }
}
