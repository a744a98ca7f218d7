package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.json.Json;
import brig.workeragent.TestFolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * By README alone from an installed agent to its first answer: its commands as they stand there, with a scripted
 * model for the provider. As root, and as an ordinary user with nothing but a home in which nvm put the agents.
 */
@Timeout(180)
@Order(6)
@Tag("slow")
class FirstAnswerTest {
    private static final Path AGENTS = Path.of(System.getProperty("brig.agents", ""));
    private static final String BRIG = Path.of(System.getProperty("brig.product", "build/brig"), "bin/brig")
            .toAbsolutePath()
            .toString();
    private static final Pattern BLOCK = Pattern.compile(
            "```sh\\n(?<install>npm install -g [^\\n]+\\n)(?<commands>brig route set .*?)```", Pattern.DOTALL);
    private static final int USER = 4711;
    /** What Codex asks its vendor's model is not what the scripted one knows. */
    private static final Map<String, String> MODEL = Map.of("codex", " --model scripted");

    private Path home;
    private ScriptedModel model;

    @BeforeEach
    void start() throws IOException {
        assumeTrue(ScriptedModel.isHere() && Files.isDirectory(AGENTS.resolve("opencode-ai")), "no node, or no agents");
        Product.requireRoot("to be two users");
        home = TestFolders.create("brig-home-");
        Path node = Files.createDirectories(home.resolve(".nvm/versions/node/v22.1.0/lib"));
        Files.createSymbolicLink(node.resolve("node_modules"), AGENTS);
        Files.createDirectories(home.resolve("run"));
        Files.writeString(home.resolve("anthropic.key"), "planted-key-of-a-first-run\n");
        model = new ScriptedModel();
    }

    @AfterEach
    void stop() throws IOException {
        if (model != null) {
            model.close();
            TestFolders.delete(home);
        }
    }

    private static String commands() throws IOException {
        Matcher found = BLOCK.matcher(Files.readString(Path.of("../README.md")));
        assertTrue(found.find(), "README has the way to the first answer");
        return found.group("commands");
    }

    /** Root's folders are the host's, so a test names others. */
    private String rootsOption(boolean root) throws IOException {
        if (!root) {
            return "";
        }
        Path config = home.resolve("brig.json");
        Files.write(
                config,
                Json.write(Map.of(
                        "stateDir",
                        home.resolve("state").toString(),
                        "runtimeDir",
                        home.resolve("run").toString(),
                        "agentsDir",
                        home.resolve("io").toString(),
                        "spawnerSocket",
                        home.resolve("spawner.sock").toString(),
                        "worker",
                        Map.of(
                                "routesDir",
                                home.resolve("routes").toString(),
                                "workspaceBases",
                                List.of(home.resolve("work").toString())))));
        return " --config " + config;
    }

    private void giveTo(int uid) throws IOException {
        try (Stream<Path> files = Files.walk(home)) {
            for (Path file : files.toList()) {
                Files.setAttribute(file, "unix:uid", uid, java.nio.file.LinkOption.NOFOLLOW_LINKS);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"claude, 0", "claude, 4711", "codex, 0", "codex, 4711", "opencode, 0", "opencode, 4711"})
    void shouldAnswerAfterTheCommandsOfTheReadme(String agent, int uid) throws IOException {
        boolean root = uid != USER;
        String option = rootsOption(root);
        if (root) {
            Files.setAttribute(home, "unix:mode", 0711);
        } else {
            giveTo(uid);
        }
        String commands = commands()
                .replace("claude", agent)
                .replaceAll(
                        "brig run " + agent + " -- '[^']*'",
                        "brig run " + agent + MODEL.getOrDefault(agent, "") + " -- '#scenario:text:3'")
                .replace("--key-file anthropic.key", "--key-file anthropic.key --url " + model.url());
        long count = commands.lines().filter(line -> line.startsWith("brig ")).count();
        String script = "set -e; cd '" + home + "'; brig() { '" + BRIG + "'" + option + " \"$@\"; }\n" + commands;
        List<String> command = new ArrayList<>(
                root
                        ? List.of("env", "-i")
                        : List.of(
                                "setpriv",
                                "--reuid",
                                "" + uid,
                                "--regid",
                                "" + uid,
                                "--clear-groups",
                                "--",
                                "env",
                                "-i"));
        command.addAll(Product.javaOptions());
        command.addAll(List.of(
                "HOME=" + home,
                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                "XDG_RUNTIME_DIR=" + home.resolve("run"),
                "TMPDIR=/tmp",
                "sh",
                "-c",
                script));
        long before = System.nanoTime();
        Run run = Run.of(command, "", Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir"))), 150);
        System.err.printf(
                "first answer of %s as uid %d: %d commands, %.1f s%n",
                agent, uid, count, (System.nanoTime() - before) / 1e9);
        assertEquals(0, run.exitCode(), run::err);
        assertTrue(run.out().contains("tok0 tok1 tok2"), run::toString);
        assertFalse(run.err().contains("brig: blocked"), "what it asks for by habit is no fault: " + run.err());
        assertEquals(2, count, "commands after the installation of the agent");
    }
}
