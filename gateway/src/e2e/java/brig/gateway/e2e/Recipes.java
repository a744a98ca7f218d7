package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What docs/captains.md tells a user to write and to run, for somebody who has the real programs, a home folder and a project
 * of his own, and a scripted model. Closing ends the model.
 */
final class Recipes implements AutoCloseable {
    private static final Path PAGE = Path.of("../docs/captains.md");
    private static final Path PACKAGES = Path.of(System.getProperty("brig.agents", ""));
    private static final Path CLAUDE =
            program("@anthropic-ai/claude-code", "@anthropic-ai/claude-code-linux-x64/claude");
    private static final Path CODEX =
            program("@openai/codex", "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex");

    private final Product product;
    private final ScriptedModel model;
    private final Path home;
    private final Path programs;
    private final Path project;

    /** Skips the test, aloud, where the programs are not there. */
    static void require() {
        boolean there = Files.isExecutable(CLAUDE) && Files.isExecutable(CODEX) && ScriptedModel.isHere();
        if (!there) {
            System.err.println(
                    "SKIPPED: Claude Code and Codex as captains are not tested, for there is no node in /usr/bin, or npm "
                            + "could not install them in " + PACKAGES);
        }
        assumeTrue(there);
    }

    /** Where npm puts it, depending on its version. */
    private static Path program(String npm, String path) {
        Path own = PACKAGES.resolve(npm).resolve("node_modules").resolve(path);
        return Files.isExecutable(own) ? own : PACKAGES.resolve(path);
    }

    /** A product that finds the agents which the tests have. */
    static Product product() throws IOException {
        Product product = Product.prepare(Map.of()).with("NODE_PATH=" + PACKAGES);
        product.serve();
        return product;
    }

    Recipes(Product product) throws IOException {
        this.product = product;
        this.model = new ScriptedModel();
        home = Files.createDirectories(product.folder().resolve("home"));
        programs = Files.createDirectory(product.folder().resolve("programs"));
        project = Files.createDirectories(product.workspaces().resolve("project"));
        Files.writeString(Files.createDirectory(home.resolve(".codex")).resolve("config.toml"), codexConfig());
        command("brig", String.join(" ", product.command()));
        command("claude", CLAUDE.toString());
        command("codex", CODEX.toString());
        Files.writeString(project.resolve("a.txt"), "one\n");
        Run made = run(
                "git init -q -b main . && git add a.txt && git -c user.name=t -c user.email=t@t commit -qm one", "");
        assertEquals(0, made.exitCode(), made::err);
        if (Product.isRoot()) {
            // Worktrees are made by the workers' user.
            assertEquals(0, run("chown -R 59617:59617 .", "").exitCode());
        }
    }

    private String codexConfig() {
        return """
                model = "gpt-5.5"
                model_provider = "scripted"
                check_for_update_on_startup = false
                web_search = "disabled"
                [analytics]
                enabled = false
                [otel]
                exporter = "none"
                metrics_exporter = "none"
                [model_providers.scripted]
                name = "Scripted"
                base_url = "%s/v1"
                wire_api = "responses"
                env_key = "SCRIPTED_KEY"
                request_max_retries = 1
                stream_max_retries = 1
                """.formatted(model.url());
    }

    /** Puts a program on the user's path. */
    private void command(String name, String command) throws IOException {
        executable(programs.resolve(name), "#!/bin/sh\nexec " + command + " \"$@\"\n");
    }

    private static void executable(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** The block of the page that is marked with that name. */
    static String block(String name) throws IOException {
        Matcher found =
                Pattern.compile("(?ms)^```\\w+ " + name + "\n(.*?)^```$").matcher(Files.readString(PAGE));
        if (!found.find()) {
            throw new AssertionError(PAGE + " has no block " + name);
        }
        return found.group(1);
    }

    /** Writes a block of the page as a program below the home folder. */
    void install(String file, String block) throws IOException {
        executable(home.resolve(file), block(block));
    }

    /** Writes it as a file of the project. */
    void write(String file, String block) throws IOException {
        Path path = project.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, block(block));
    }

    Path project() {
        return project;
    }

    /** What lies in the project, but for what git and Claude Code have there. */
    List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(project)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .filter(name -> !name.startsWith("."))
                    .sorted()
                    .toList();
        }
    }

    /** The user's shell runs that in the project. */
    Run run(String script, String input) throws IOException {
        return Run.of(command(script), input, product.folder());
    }

    List<String> command(String script) {
        List<String> whole = new ArrayList<>(List.of(
                "env",
                "-i",
                "-C",
                project.toString(),
                "HOME=" + home,
                "SHELL=/bin/bash",
                "PATH=" + programs + ":/usr/local/bin:/usr/bin:/bin",
                "ANTHROPIC_BASE_URL=" + model.url(),
                "ANTHROPIC_API_KEY=none",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
                "DISABLE_AUTOUPDATER=1",
                "DISABLE_TELEMETRY=1",
                "DISABLE_ERROR_REPORTING=1",
                "SCRIPTED_KEY=none"));
        whole.addAll(List.of("sh", "-ec", script));
        return whole;
    }

    @Override
    public void close() {
        model.close();
    }
}
