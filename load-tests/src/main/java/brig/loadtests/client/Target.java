package brig.loadtests.client;

import brig.protocol.api.SpawnAnswer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The server under test.
 *
 * @param base its address, queried for each connection because a restart may change it
 * @param agent the agent profile that runs messages with a shell
 * @param place where its sessions run
 * @param control controls a server that the kit started; null for any other
 */
public record Target(
        Supplier<URI> base,
        String token,
        String agent,
        WorkerPlace place,
        Scale scale,
        @Nullable Control control) {
    /** A server started for the kit, with small limits. */
    public interface Control {
        /** Kills the gateway and starts it again; its workers survive. */
        void restart() throws IOException;

        /** Starts another server like this one, with those limits. */
        Limited limited(Map<String, Long> limits) throws IOException;

        /** Deletes the record of a stream from disk. */
        void loseRecord(String spawnId) throws IOException;

        /** The spawner socket, which needs no token. */
        Path spawnerSocket();

        /** The HTTP socket, which needs no token. */
        Path httpSocket();

        /** Stops the gateway as its operator does, and starts it again. */
        void stop() throws IOException;
    }

    /** A server with limits of its own. */
    public interface Limited extends AutoCloseable {
        Target target() throws IOException;

        @Override
        void close() throws IOException;
    }

    /** The request for a session that waits for messages. */
    public SpawnBody body() {
        return SpawnBody.of(agent).on(place);
    }

    public Wire connect(int receiveBytes) throws IOException {
        URI uri = base.get();
        return new Wire(new InetSocketAddress(uri.getHost(), uri.getPort()), scale.patienceMs(), receiveBytes);
    }

    public Map<String, String> headers(String bearer) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Host", base.get().getHost());
        if (!bearer.isEmpty()) {
            headers.put("Authorization", "Bearer " + bearer);
        }
        return headers;
    }

    public Http.Answer ask(String requestLine, String body) throws IOException {
        return ask(requestLine, headers(token), body);
    }

    public Http.Answer ask(String requestLine, Map<String, String> headers, String body) throws IOException {
        try (Wire wire = connect(0)) {
            Http.send(wire, requestLine, headers, body);
            return Http.answer(wire, Http.head(wire));
        }
    }

    /** A new spawn; without work its agent waits for messages. */
    public Session spawn(@Nullable Workload work, boolean once) throws IOException {
        return spawn(work, once, "");
    }

    /** @param key idempotency key (section 4.5); empty for none */
    public Session spawn(@Nullable Workload work, boolean once, String key) throws IOException {
        SpawnBody request = body().with(work, once);
        Map<String, String> headers = headers(token);
        if (!key.isEmpty()) {
            headers.put("Idempotency-Key", key);
        }
        Http.Answer answer = ask("POST /api/v1/spawns?wait=60s", headers, request.text());
        Violation.require(answer.status() == 201, "a spawn was answered by " + answer.status() + " " + answer.body());
        SpawnAnswer spawned = answer.body().as(SpawnAnswer.class);
        String watcherToken = spawned.watcherToken();
        if (watcherToken == null) {
            throw new Violation("the answer for a spawn has no watcher_token");
        }
        return new Session(this, spawned.spawnId(), spawned.authToken(), watcherToken, spawned.ioSocket());
    }
}
