package brig.gateway.e2e;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A gateway that does what a case of {@code clients/conformance/cases.json} says, on a spawner socket and a session
 * socket. A client may come to its session on either. {@code clients/conformance/README.md} has the words of a script.
 */
final class ScriptedGateway implements AutoCloseable {
    private static final String SPAWN_ID = "spn_01kdvw5v09s6yx3m8q2t7n4e";
    private static final Map<String, Object> WELCOME = Map.of(
            "type",
            "authenticated",
            "spawn_id",
            SPAWN_ID,
            "task_id",
            "fix",
            "role",
            "captain",
            "epoch",
            "4h2k9x0c",
            "from",
            1L,
            "state",
            "running");

    private final JsonObject script;
    private final Path folder;
    private final List<ServerSocketChannel> servers = new ArrayList<>();
    private final Set<SocketChannel> connections = ConcurrentHashMap.newKeySet();
    private final List<Thread> threads = new ArrayList<>();

    // Guarded by this.
    private final List<Throwable> faults = new ArrayList<>();
    private final Map<String, Object> remembered = new HashMap<>();
    private final Map<String, Integer> counts = new HashMap<>();

    ScriptedGateway(JsonObject script, Path folder) throws IOException {
        this.script = script;
        this.folder = folder;
        serve(spawner(), this::serveSpawner);
        serve(session(), connection -> serveSession(connection, connection.line()));
    }

    Path spawner() {
        return folder.resolve("spawner.sock");
    }

    private Path session() {
        return folder.resolve("io.sock");
    }

    /** What went wrong in a script, so far. */
    synchronized List<Throwable> faults() {
        return List.copyOf(faults);
    }

    synchronized int count(String what) {
        return counts.getOrDefault(what, 0);
    }

    private interface Script {
        void play(Connection connection) throws IOException;
    }

    private void serve(Path path, Script play) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        servers.add(server.bind(UnixDomainSocketAddress.of(path)));
        threads.add(Thread.startVirtualThread(() -> {
            while (server.isOpen()) {
                try {
                    SocketChannel channel = server.accept();
                    connections.add(channel);
                    Thread.startVirtualThread(() -> play(play, channel));
                } catch (IOException e) {
                    return;
                }
            }
        }));
    }

    private void play(Script script, SocketChannel channel) {
        try (channel) {
            script.play(new Connection(channel));
        } catch (IOException e) {
            // The client has gone, as it may at any time.
            return;
        } catch (RuntimeException | AssertionError e) {
            synchronized (this) {
                faults.add(e);
            }
        }
    }

    /** The script of the next connection of a kind; past the last one there is none. */
    private List<JsonObject> next(String kind, List<?> scripts) {
        int at;
        synchronized (this) {
            at = counts.merge(kind, 1, Integer::sum) - 1;
        }
        if (at >= scripts.size()) {
            throw new AssertionError("connection " + (at + 1) + " of " + kind + " is more than the script has");
        }
        return ((List<?>) scripts.get(at)).stream().map(JsonObject::element).toList();
    }

    private void serveSpawner(Connection connection) throws IOException {
        JsonObject request = connection.line();
        switch (request.text("action", "")) {
            case "attach" -> serveSession(connection, request);
            case "terminate" -> {
                synchronized (this) {
                    counts.merge("terminated", 1, Integer::sum);
                }
                connection.say(JsonObject.of(Map.of("spawn_id", SPAWN_ID, "state", "terminated")));
                connection.listen();
            }
            case "spawn" -> {
                List<?> scripts = script.has("spawn")
                        ? script.elements("spawn")
                        : List.of(List.of(JsonObject.of(Map.of("spawned", Map.of()))));
                for (JsonObject step : next("spawn", scripts)) {
                    play(connection, step, request);
                }
            }
            default -> {
                List<List<?>> scripts = script.elements("requests").stream()
                        .<List<?>>map(List::of)
                        .toList();
                for (JsonObject step : next("requests", scripts)) {
                    play(connection, step, request);
                }
            }
        }
    }

    private void serveSession(Connection connection, JsonObject hello) throws IOException {
        for (JsonObject step : next("session", script.elements("session"))) {
            play(connection, step, hello);
        }
        connection.listen();
    }

    /** @param first the line that began the connection */
    private void play(Connection connection, JsonObject step, JsonObject first) throws IOException {
        if (step.has("hello")) {
            expect(step.object("hello"), first);
        }
        if (step.has("welcome")) {
            connection.say(JsonObject.of(WELCOME).overlaid(step.object("welcome")));
        }
        if (step.has("take")) {
            boolean isRequest = first.has("action") && !first.text("action", "").equals("attach");
            JsonObject line = isRequest ? first : connection.message();
            expect(step.object("take"), line);
            if (!isRequest && !line.has("ask_id") && !step.flag("silent")) {
                connection.settle(step);
            }
        }
        for (JsonObject line : step.objects("say")) {
            connection.say(line.has("seq") ? line.with("ts", 1L) : line);
        }
        if (step.has("spawned")) {
            connection.say(JsonObject.of(Map.of(
                            "task_id", "fix",
                            "spawn_id", SPAWN_ID,
                            "workspace", "/w",
                            "auth_token", "brig_dGhpcy1pcy1ub3QtYS1yZWFsLXRva2VuLTAxMjM0NTY",
                            "io_socket", session().toString(),
                            "status", "spawned"))
                    .overlaid(step.object("spawned")));
            connection.listen();
        }
        if (step.has("answer")) {
            connection.say(step.object("answer"));
            connection.listen();
        }
        connection.hurt(step);
        if (step.flag("deaf")) {
            connection.ignore();
        }
        if (step.flag("cut")) {
            connection.channel.close();
        }
    }

    /** Compares what came with what is wanted; {@code $name} is the same text wherever it stands. */
    private synchronized void expect(JsonObject wanted, JsonObject got) {
        for (String name : wanted.names()) {
            Object value = wanted.value(name);
            if (value instanceof String text && text.startsWith("$")) {
                value = remembered.computeIfAbsent(text, key -> got.text(name, "absent"));
            }
            if (!Matching.fits(value, got.value(name))) {
                throw new AssertionError(name + " is not " + value + " in " + got);
            }
        }
    }

    @Override
    public void close() throws IOException {
        for (ServerSocketChannel server : servers) {
            server.close();
        }
        for (SocketChannel connection : connections) {
            connection.close();
        }
        Files.delete(spawner());
        Files.delete(session());
    }

    private static final class Connection {
        private final SocketChannel channel;
        private final InputStream in;

        Connection(SocketChannel channel) {
            this.channel = channel;
            in = new BufferedInputStream(Channels.newInputStream(channel));
        }

        /** The next line. @throws IOException where the client has gone */
        JsonObject line() throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (int next = in.read(); next != '\n'; next = in.read()) {
                if (next < 0) {
                    throw new IOException("the client has gone");
                }
                line.write(next);
            }
            return JsonObject.read(line.toByteArray());
        }

        /** The next line that is not a ping; pings on the way are answered. */
        JsonObject message() throws IOException {
            JsonObject line = line();
            while (line.text("action", "").equals("ping")) {
                pong();
                line = line();
            }
            return line;
        }

        /** The answer to what was taken: perhaps a refusal, then the answer to the ping behind it. */
        void settle(JsonObject step) throws IOException {
            if (step.has("refuse")) {
                say(step.object("refuse"));
            }
            JsonObject ping = line();
            if (!ping.text("action", "").equals("ping")) {
                throw new AssertionError("not a ping: " + ping);
            }
            pong();
        }

        /** Answers pings until the client goes. */
        void listen() throws IOException {
            JsonObject line = message();
            throw new AssertionError("more than the script has: " + line);
        }

        /** Reads until the client goes, and answers nothing. */
        void ignore() throws IOException {
            in.transferTo(OutputStream.nullOutputStream());
        }

        void say(JsonObject line) throws IOException {
            write(Json.writeLine(line));
        }

        private void pong() throws IOException {
            say(JsonObject.of(Map.of("type", "pong")));
        }

        /** Bytes that no gateway would send. */
        void hurt(JsonObject step) throws IOException {
            write("x".repeat((int) step.number("fill", 0)).getBytes(StandardCharsets.UTF_8));
            write(HexFormat.of().parseHex(step.text("hex", "")));
            if (step.has("nest")) {
                write(("{\"a\":" + "[".repeat((int) step.number("nest", 0)) + "\n").getBytes(StandardCharsets.UTF_8));
            }
            write(step.text("raw", "").getBytes(StandardCharsets.UTF_8));
        }

        private void write(byte[] bytes) throws IOException {
            ByteBuffer rest = ByteBuffer.wrap(bytes);
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
        }
    }
}
