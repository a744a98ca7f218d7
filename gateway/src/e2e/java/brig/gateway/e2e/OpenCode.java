package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The real OpenCode with a home and a project of its own, and a scripted model beside it, which does what
 * {@code #scenario:…} in a message says. Closing ends both.
 */
final class OpenCode implements AutoCloseable {
    private static final Path PACKAGES = Path.of(System.getProperty("brig.agents", ""));

    private final Product product;
    private final Path home;
    private final Path project;
    private final ScriptedModel model;
    private final List<Process> started = new ArrayList<>();

    private OpenCode(Product product) throws IOException {
        this.product = product;
        home = Files.createDirectory(product.folder().resolve("home"));
        project = Files.createDirectory(product.folder().resolve("project"));
        model = new ScriptedModel();
    }

    /** OpenCode with its project. Skips the test, aloud, where OpenCode is not there. */
    static OpenCode open(Product product) throws IOException {
        boolean there = Files.isExecutable(program()) && ScriptedModel.isHere();
        if (!there) {
            System.err.println(
                    "SKIPPED: OpenCode as a captain is not tested, for there is no node in /usr/bin, or npm could not "
                            + "install opencode-ai in " + PACKAGES);
        }
        assumeTrue(there);
        OpenCode opened = new OpenCode(product);
        opened.prepare();
        return opened;
    }

    private static Path program() {
        Path own = PACKAGES.resolve("opencode-ai/node_modules/opencode-linux-x64/bin/opencode");
        Path beside = PACKAGES.resolve("opencode-linux-x64/bin/opencode");
        return Files.isExecutable(own) ? own : beside;
    }

    /** A repository with one commit, and the captain's own model in its configuration. */
    private void prepare() throws IOException {
        Map<String, Object> scripted = Map.of(
                "npm",
                "@ai-sdk/openai-compatible",
                "name",
                "Scripted",
                "options",
                Map.of("baseURL", model.url() + "/v1", "apiKey", "none"),
                "models",
                Map.of("scripted", Map.of("name", "Scripted", "tool_call", true)));
        Map<String, Object> config = new LinkedHashMap<>();
        config.put("model", "scripted/scripted");
        config.put("small_model", "scripted/scripted");
        config.put("autoupdate", false);
        config.put("share", "disabled");
        config.put("permission", Map.of("*", "allow"));
        config.put("provider", Map.of("scripted", scripted));
        Files.write(project.resolve("opencode.json"), Json.write(config));
        Files.writeString(project.resolve("a.txt"), "one\n");
        Files.writeString(home.resolve("models.json"), "{}");
        assertEquals(
                0,
                shell("git init -q -b main . && git add a.txt && git -c user.name=t -c user.email=t@t commit -qm one")
                        .exitCode());
        if (Product.isRoot()) {
            // Worktrees are made by the workers' user.
            assertEquals(0, shell("chown -R 59617:59617 .").exitCode());
        }
    }

    private Run shell(String script) throws IOException {
        return Run.of(environment("sh", "-ec", "cd \"" + project + "\"; " + script), "", product.folder());
    }

    Path project() {
        return project;
    }

    /** A command with OpenCode's variables: nothing of this user's own, and nothing from the network. */
    private List<String> environment(String... command) {
        List<String> whole = new ArrayList<>(List.of(
                "env",
                "-C",
                project.toString(),
                "PWD=" + project,
                "HOME=" + home,
                "XDG_CONFIG_HOME=" + home.resolve(".config"),
                "XDG_DATA_HOME=" + home.resolve(".data"),
                "XDG_STATE_HOME=" + home.resolve(".state"),
                "XDG_CACHE_HOME=" + home.resolve(".cache"),
                "OPENCODE_DISABLE_AUTOUPDATE=1",
                "OPENCODE_DISABLE_MODELS_FETCH=1",
                "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
                "OPENCODE_DISABLE_SHARE=1",
                "OPENCODE_DISABLE_DEFAULT_PLUGINS=1",
                "npm_config_offline=true",
                "OPENCODE_MODELS_PATH=" + home.resolve("models.json")));
        whole.addAll(List.of(command));
        return whole;
    }

    /** Runs {@code brig} as the user of this project does. */
    Run brig(String... arguments) throws IOException {
        return Run.of(environment(product.command(arguments).toArray(String[]::new)), "", product.folder());
    }

    /** {@code opencode run}: one message, to its end; what it printed is one event a line. */
    Run run(String message) throws IOException {
        return Run.of(
                environment(
                        program().toString(),
                        "run",
                        "--print-logs",
                        "--log-level",
                        "WARN",
                        "--format",
                        "json",
                        "--title",
                        "t",
                        message),
                "",
                product.folder());
    }

    /** Starts {@code opencode serve}. */
    Server serve() throws IOException {
        Process process = new ProcessBuilder(
                        environment(program().toString(), "serve", "--port", "0", "--hostname", "127.0.0.1"))
                .redirectError(product.folder().resolve("opencode.log").toFile())
                .start();
        started.add(process);
        return new Server(process, new Web(ScriptedModel.address(process), ""));
    }

    /** A captain that others drive. */
    record Server(Process process, Web web) {
        /** Begins a session with a message. @return its id */
        String say(String message) throws IOException {
            String session = web.post("/session", "{\"title\":\"t\"}").json().text("id", "");
            String body = new String(
                    Json.write(Map.of("parts", List.of(Map.of("type", "text", "text", message)))),
                    StandardCharsets.UTF_8);
            assertEquals(
                    204, web.post("/session/" + session + "/prompt_async", body).status());
            return session;
        }

        void abort(String session) throws IOException {
            assertEquals(200, web.post("/session/" + session + "/abort", "{}").status());
        }

        /** The texts of a session and of those that it delegated to, as they are told. */
        Events events() throws IOException {
            return web.follow("/event", "");
        }

        static JsonObject event(Events events) throws IOException {
            String line = events.line();
            if (line == null) {
                throw new AssertionError("OpenCode's events ended");
            }
            return JsonObject.read(line.getBytes(StandardCharsets.UTF_8));
        }

        /** With SIGKILL. */
        void kill() {
            process.destroyForcibly();
        }
    }

    @Override
    public void close() {
        started.forEach(Process::destroyForcibly);
        model.close();
        started.forEach(process -> process.onExit().join());
    }
}
