import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Creates the start-up archives of the installation {@code args[0]}, in its folder {@code lib} or in {@code args[1]}. It
 * runs the typical work of an installation once: a gateway that follows what a killed one left, spawns at once, streams.
 * The JVM records the loaded and linked classes and the profiles of hot code, with which its compilers begin later. This
 * only improves speed: if the wall cannot be built, the archives have what was recorded until then.
 */
final class Train {
    /** Sessions that a killed gateway leaves to the next one. */
    private static final int LEFT = 30;

    private static final int STARTS = 60;
    private static final int STARTS_AT_ONCE = 20;
    private static final int STREAMS = 4;
    /** Small writes like a model's tokens: enough for the compilers' counters, and done in a second or two. */
    private static final String TOKENS =
            "sleep 1; i=0; while [ $i -lt 20000 ]; do echo token token token $i; i=$((i+1)); done";

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern URL = Pattern.compile("\\s+http\\s+(http://\\S+) .*");

    private final Path home;
    private final Path archives;
    private final Path work;
    /** What the killed gateway leaves: these are no descendants of this process any more. */
    private final List<ProcessHandle> left = new CopyOnWriteArrayList<>();

    private final HttpClient http = HttpClient.newHttpClient();
    private String url = "";
    private String token = "";

    private Train(Path home, Path archives, Path work) {
        this.home = home;
        this.archives = archives;
        this.work = work;
    }

    public static void main(String[] args) throws Exception {
        Path work = Files.createTempDirectory("brig-train-");
        Path home = Path.of(args[0]);
        Train train = new Train(home, args.length > 1 ? Path.of(args[1]) : home.resolve("lib"), work);
        Runtime.getRuntime().addShutdownHook(new Thread(train::remove));
        Files.setPosixFilePermissions(work, PosixFilePermissions.fromString("rwx--x--x"));
        train.run();
    }

    private void run() throws Exception {
        Files.writeString(work.resolve("brig.json"), """
                {"stateDir": "%1$s/state", "runtimeDir": "%1$s/run", "agentsDir": "%1$s/io", "spawnerSocket": "%1$s/spawner.sock",
                 "http": {"port": 0}, "worker": {"workspaceBases": ["%1$s/workspaces"], "policies": ["build", "net"],
                 "policyDirs": ["", "%1$s/policies"], "egress": {"hosts": {"train.test": "127.0.0.1"}}}}""".formatted(work));
        Files.createDirectory(work.resolve("policies"));
        Process killed = serve(Map.of("BRIG_WORKER_AGENT_JAVA_OPTS", record("worker-agent")));
        awaitUp(killed);
        try {
            for (int i = 0; i < LEFT; i++) {
                spawn("echo waits; sleep 600");
            }
        } catch (IOException refused) {
            System.err.println("no session is left to the next gateway: " + refused.getMessage());
        }
        left.addAll(killed.descendants().toList());
        killed.destroyForcibly().waitFor();
        Process gateway = serve(Map.of("BRIG_JAVA_OPTS", record("serve")));
        try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
            awaitUp(gateway);
            for (int i = 0; i < STARTS; i += STARTS_AT_ONCE) {
                List<Future<?>> started = new ArrayList<>();
                for (int j = 0; j < STARTS_AT_ONCE; j++) {
                    started.add(readers.submit(() -> attach(spawn("echo started"))));
                }
                await(started);
            }
            askTheNetwork();
            // First, as on a busy machine the streams may exceed the time limit.
            brig(
                            Map.of("BRIG_SOCKET", work + "/spawner.sock", "BRIG_JAVA_OPTS", record("cli")),
                            "run",
                            "shell",
                            "--",
                            "echo started")
                    .start()
                    .waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            delegate();
            List<Future<?>> streams = new ArrayList<>();
            for (int i = 0; i < STREAMS; i++) {
                Spawned spawned = spawn(TOKENS);
                streams.add(readers.submit(() -> attach(spawned)));
                for (int j = 0; j < 2; j++) {
                    streams.add(readers.submit(() -> events(spawned)));
                    streams.add(readers.submit(() -> socket(spawned)));
                }
            }
            await(streams);
            // Otherwise the first scrape would block the event loop while its classes load.
            http.send(request("/metrics").build(), HttpResponse.BodyHandlers.discarding());
        } finally {
            // Process.destroy would also close its output, which it still uses while it writes the archive.
            gateway.toHandle().destroy();
            gateway.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            // The worker-agent is no child of this gateway, and writes its archive too.
            CompletableFuture.allOf(left.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new))
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /** The first agent with a network has the worker-agent make an authority for it, and start brig-egress. */
    private void askTheNetwork() throws IOException, InterruptedException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        int port = server.getAddress().getPort();
        String hosts = "{\"allowedHosts\": [\"train.test:" + port + "\", \"127.0.0.1:" + port + "\"]}";
        String build = Files.readString(home.resolve("config/policies/build.json"));
        Files.writeString(work.resolve("policies/net.json"), build.replace("\"egress\": {}", "\"egress\": " + hosts));
        String get = "exec 3<>/dev/tcp/train.test/" + port
                + "; printf 'GET / HTTP/1.0\\\\r\\\\n\\\\r\\\\n' >&3; read -r line <&3";
        try {
            attach(spawn(get, ",\"policy\":\"net\""));
        } catch (IOException refused) {
            System.err.println("no session had a network: " + refused.getMessage());
        } finally {
            server.stop(0);
        }
    }

    /** An agent has another one work, by the tools of {@code brig mcp}. */
    private void delegate() throws IOException, InterruptedException {
        Process mcp = brig(Map.of("BRIG_SOCKET", work + "/spawner.sock", "BRIG_JAVA_OPTS", record("mcp")), "mcp")
                .redirectOutput(ProcessBuilder.Redirect.PIPE)
                .start();
        try (BufferedWriter in = mcp.outputWriter(UTF_8);
                BufferedReader out = mcp.inputReader(UTF_8)) {
            for (String request : List.of(
                    "'method':'initialize','params':{'protocolVersion':'2025-06-18'}",
                    "'method':'tools/list'",
                    "'method':'tools/call','params':{'name':'spawn','arguments':{'agent':'shell','task_id':'delegated',"
                            + "'repository':'','once':true,'prompt':'echo started'}}",
                    "'method':'tools/call','params':{'name':'wait','arguments':{'session':'delegated'}}")) {
                in.write("{'jsonrpc':'2.0','id':1,%s}\n".formatted(request).replace('\'', '"'));
                in.flush();
                out.readLine();
            }
            in.close();
            out.lines().forEach(unread -> {});
        }
        mcp.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private Process serve(Map<String, String> environment) throws IOException {
        return brig(environment, "serve", "--config", work + "/brig.json")
                .redirectOutput(ProcessBuilder.Redirect.PIPE)
                .start();
    }

    private static void await(List<Future<?>> all) throws Exception {
        for (Future<?> one : all) {
            one.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private String record(String archive) {
        return "-XX:AOTCacheOutput=" + archives + "/" + archive + ".aot";
    }

    private ProcessBuilder brig(Map<String, String> environment, String... arguments) {
        List<String> command = new ArrayList<>(List.of(home + "/bin/brig"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(new File("/dev/null"));
        builder.environment().putAll(environment);
        return builder;
    }

    private void awaitUp(Process gateway) throws IOException {
        BufferedReader out = new BufferedReader(new InputStreamReader(gateway.getInputStream()));
        String line = out.readLine();
        for (; line != null && !line.contains("try next"); line = out.readLine()) {
            Matcher found = URL.matcher(line);
            url = found.matches() ? found.group(1) : url;
        }
        // A full pipe would hold it up.
        Thread.startVirtualThread(() -> out.lines().forEach(unread -> {}));
        token = Files.readString(work.resolve("state/admin.token")).strip();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url + path))
                .timeout(PATIENCE)
                .header("Authorization", "Bearer " + token);
    }

    private record Spawned(String id, String token, String socket) {}

    private Spawned spawn(String script) throws IOException, InterruptedException {
        return spawn(script, "");
    }

    private Spawned spawn(String script, String more) throws IOException, InterruptedException {
        String body = "{\"agent_config\":{\"name\":\"shell\"},\"once\":true,\"prompt\":\"" + script + "\"" + more + "}";
        String answer = http.send(
                        request("/api/v1/spawns?wait=" + PATIENCE.toSeconds() + "s")
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
        return new Spawned(text(answer, "spawn_id"), text(answer, "auth_token"), text(answer, "io_socket"));
    }

    private static String text(String json, String field) throws IOException {
        Matcher found = Pattern.compile("\"" + field + "\":\"([^\"]+)\"").matcher(json);
        if (!found.find()) {
            throw new IOException("no " + field + " in " + json);
        }
        return found.group(1);
    }

    /** Reads the stream to the end, like a captain. */
    private Void attach(Spawned spawned) throws IOException {
        try (SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.connect(UnixDomainSocketAddress.of(spawned.socket()));
            socket.write(ByteBuffer.wrap(("{\"auth\":\"" + spawned.token() + "\",\"from\":1}\n").getBytes(UTF_8)));
            requireEnd(Channels.newInputStream(socket));
        }
        return null;
    }

    /** Reads the stream to the end, like a browser. */
    private Void events(Spawned spawned) throws IOException, InterruptedException {
        requireEnd(http.send(
                        request("/api/v1/sessions/" + spawned.id() + "/stream").build(),
                        HttpResponse.BodyHandlers.ofInputStream())
                .body());
        return null;
    }

    /** What is refused would train nothing. */
    private static void requireEnd(InputStream stream) throws IOException {
        String all = new String(stream.readAllBytes(), UTF_8);
        if (!all.contains("\"state\":\"terminated\"")) {
            throw new IOException("not a whole stream: " + all.substring(0, Math.min(200, all.length())));
        }
    }

    private Void socket(Spawned spawned) throws Exception {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        http.newWebSocketBuilder()
                .header("Authorization", "Bearer " + token)
                .subprotocols("brig.v1")
                .buildAsync(
                        URI.create(url.replace("http", "ws") + "/api/v1/sessions/" + spawned.id()
                                + "/attach?from=1&role=watcher"),
                        new WebSocket.Listener() {
                            @Override
                            public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
                                closed.complete(null);
                                return null;
                            }

                            @Override
                            public void onError(WebSocket socket, Throwable error) {
                                closed.completeExceptionally(error);
                            }
                        });
        return closed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Also where the build is cancelled: ends what still runs, and deletes its files. */
    private void remove() {
        List<ProcessHandle> running = Stream.concat(ProcessHandle.current().descendants(), left.stream())
                .toList();
        running.forEach(ProcessHandle::destroyForcibly);
        running.forEach(process -> process.onExit().join());
        try (Stream<Path> files = Files.walk(work)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException failure) {
            System.err.println("the training left " + work + ": " + failure);
        }
    }
}
