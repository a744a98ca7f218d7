package brig.gateway.e2e;

import brig.protocol.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * The real OpenCode as {@code opencode serve}, in a home of its own and without any network but the scripted model, whose
 * process this is too. What a model does stands in the message: {@link #calls}.
 */
final class OpenCodeServer implements AutoCloseable {
    private static final Path PROGRAM = Path.of(System.getProperty("brig.agents", ""), "opencode-ai/bin/opencode.exe");
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final long TURN_SECONDS_MAX = 60;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Path home;
    private final ScriptedModel model;
    private Process serve;
    private String url;

    /** The tests are skipped, and say so, where the program is not here. */
    static void require() {
        if (!Files.isExecutable(PROGRAM)) {
            System.err.println("SKIPPED: clients/opencode is not tested in OpenCode, for " + PROGRAM + " is not here");
        }
        Assumptions.assumeTrue(Files.isExecutable(PROGRAM));
    }

    OpenCodeServer(Path folder) throws IOException {
        home = Files.createDirectory(folder.resolve("home"));
        Files.writeString(home.resolve("models.json"), "{}");
        // The repository of a test belongs to the workers' user.
        Files.writeString(home.resolve(".gitconfig"), "[safe]\n\tdirectory = *\n");
        model = new ScriptedModel();
    }

    /** A project with this configuration beside that of the model. */
    void configure(Path project, Map<String, ?> more) throws IOException {
        Map<String, Object> config = new LinkedHashMap<>(Map.of(
                "model",
                "scripted/scripted",
                "small_model",
                "scripted/scripted",
                "share",
                "disabled",
                "autoupdate",
                false,
                "snapshot",
                false,
                "enabled_providers",
                List.of("scripted"),
                "provider",
                Map.of(
                        "scripted",
                        Map.of(
                                "npm",
                                "@ai-sdk/openai-compatible",
                                "name",
                                "Scripted",
                                "options",
                                Map.of("baseURL", model.url() + "/v1", "apiKey", "dummy"),
                                "models",
                                Map.of(
                                        "scripted",
                                        Map.of(
                                                "name",
                                                "Scripted",
                                                "tool_call",
                                                true,
                                                "limit",
                                                Map.of("context", 200_000, "output", 8192)))))));
        config.putAll(more);
        Files.write(project.resolve("opencode.json"), Json.write(config));
    }

    void start() throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        PROGRAM.toString(), "serve", "--port", "0", "--hostname", "127.0.0.1")
                .directory(home.toFile())
                .redirectError(home.resolve("opencode.log").toFile());
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("XDG_") || name.startsWith("OPENCODE_"));
        for (String flag : List.of(
                "DISABLE_AUTOUPDATE",
                "DISABLE_MODELS_FETCH",
                "DISABLE_LSP_DOWNLOAD",
                "DISABLE_SHARE",
                "DISABLE_DEFAULT_PLUGINS",
                "DISABLE_FFF",
                "EXPERIMENTAL_DISABLE_FILEWATCHER")) {
            environment.put("OPENCODE_" + flag, "1");
        }
        environment.put("OPENCODE_MODELS_PATH", home.resolve("models.json").toString());
        environment.put("npm_config_offline", "true");
        environment.put("HOME", home.toString());
        serve = builder.start();
        url = ScriptedModel.address(serve);
    }

    /** SIGKILL. */
    void kill() throws InterruptedException {
        serve.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        serve.destroyForcibly();
        model.close();
    }

    /** A message that makes the model call tools, one a turn: name and arguments, in turns. */
    static String calls(Object... namesAndInputs) {
        StringBuilder message = new StringBuilder("#scenario:calls");
        for (int i = 0; i < namesAndInputs.length; i += 2) {
            message.append(':')
                    .append(Base64.getUrlEncoder()
                            .withoutPadding()
                            .encodeToString(
                                    Json.write(Map.of("name", namesAndInputs[i], "input", namesAndInputs[i + 1]))));
        }
        return message.toString();
    }

    /** A call of the tool task. */
    static String task(String agent, String prompt) {
        return calls("task", Map.of("description", "work", "prompt", prompt, "subagent_type", agent));
    }

    private CompletableFuture<JsonNode> post(Path project, String path, Map<String, ?> body) {
        HttpRequest request = HttpRequest.newBuilder(uri(project, path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(Json.write(new LinkedHashMap<>(body))))
                .build();
        return http.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray())
                .thenApply(OpenCodeServer::answer)
                .orTimeout(TURN_SECONDS_MAX, TimeUnit.SECONDS);
    }

    private static JsonNode answer(HttpResponse<byte[]> response) {
        return parse(response.body());
    }

    private static JsonNode parse(byte[] json) {
        try {
            return JSON.readTree(json);
        } catch (IOException e) {
            throw new UncheckedIOException(new String(json, StandardCharsets.UTF_8), e);
        }
    }

    private URI uri(Path project, String path) {
        return URI.create(url + path + "?directory=" + URLEncoder.encode(project.toString(), StandardCharsets.UTF_8));
    }

    String session(Path project) {
        return post(project, "/session", Map.of("title", "test"))
                .join()
                .path("id")
                .asText();
    }

    /** Says something; completes when the turn is over, with the newest message. */
    CompletableFuture<JsonNode> say(Path project, String session, String message) {
        return post(
                project,
                "/session/" + session + "/message",
                Map.of("parts", List.of(Map.of("type", "text", "text", message))));
    }

    CompletableFuture<JsonNode> command(Path project, String session, String command, String arguments) {
        return post(project, "/session/" + session + "/command", Map.of("command", command, "arguments", arguments));
    }

    void abort(Path project, String session) {
        post(project, "/session/" + session + "/abort", Map.of()).join();
    }

    /** Answers a permission dialogue: once, always or reject. */
    void reply(Path project, String request, String reply) {
        post(project, "/permission/" + request + "/reply", Map.of("reply", reply))
                .join();
    }

    /** The states of the tool calls of a session, in their order. */
    List<JsonNode> calls(Path project, String session) throws IOException, InterruptedException {
        JsonNode messages = parse(http.send(
                        HttpRequest.newBuilder(uri(project, "/session/" + session + "/message"))
                                .build(),
                        HttpResponse.BodyHandlers.ofByteArray())
                .body());
        List<JsonNode> states = new ArrayList<>();
        for (JsonNode message : messages) {
            for (JsonNode part : message.path("parts")) {
                if (part.path("type").asText().equals("tool")) {
                    states.add(part.path("state"));
                }
            }
        }
        return states;
    }

    /** What OpenCode tells of a project from now on. */
    Events events(Path project) {
        return new Events(project);
    }

    /** Server-sent events, read as they come. */
    final class Events implements AutoCloseable {
        private final BlockingQueue<JsonNode> told = new LinkedBlockingQueue<>();
        private final Stream<String> lines;

        private Events(Path project) {
            lines = http.sendAsync(
                            HttpRequest.newBuilder(uri(project, "/event")).build(), HttpResponse.BodyHandlers.ofLines())
                    .join()
                    .body();
            Thread.ofVirtual().start(this::read);
        }

        private void read() {
            try {
                lines.filter(line -> line.startsWith("data: "))
                        .forEach(line ->
                                told.add(parse(line.substring("data: ".length()).getBytes(StandardCharsets.UTF_8))));
            } catch (UncheckedIOException closed) {
                // By the test, or with the program: who waits for an event says that none came.
            }
        }

        /** The properties of the next event of that type that fits. */
        JsonNode await(String type, Predicate<JsonNode> wanted) throws InterruptedException {
            for (; ; ) {
                JsonNode event = told.poll(Await.DEADLINE_SECONDS, TimeUnit.SECONDS);
                if (event == null) {
                    throw new AssertionError("no event " + type);
                }
                if (event.path("type").asText().equals(type) && wanted.test(event.path("properties"))) {
                    return event.path("properties");
                }
            }
        }

        @Override
        public void close() {
            lines.close();
        }
    }
}
