package brig.workeragent.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.workeragent.wall.Confinement.Mount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Agents are found where people have them, and no more of a home is mounted than the program or its package. */
class ProgramsTest {
    private static final byte[] ELF = {0x7f, 'E', 'L', 'F', 2, 1, 1};

    @TempDir
    private Path temporary;

    private Path home;
    private AgentProfiles.Named agent;

    @BeforeEach
    void makeProfile() throws IOException {
        home = Files.createDirectory(temporary.toRealPath().resolve("ann"));
        Path agents = Files.createDirectory(temporary.resolve("agents"));
        Files.writeString(agents.resolve("claude.json"), """
                {"description": "d", "command": ["{program}"], "install": {"npm": "@anthropic-ai/claude-code@2.1.330",
                "programs": ["@anthropic-ai/claude-code-linux-x64/claude", "@anthropic-ai/claude-code/bin/claude.exe"]}}
                """);
        agent = new AgentProfiles(List.of(agents)).named("claude");
    }

    private Programs.Found find(Map<String, String> more, Function<Path, Path> closedAbove) {
        Map<String, String> environment = new java.util.TreeMap<>(Map.of("HOME", home.toString()));
        environment.putAll(more);
        return new Programs(new ProgramPlaces(environment), temporary, closedAbove).find(agent);
    }

    private Programs.Found find(Map<String, String> more) {
        return find(more, path -> null);
    }

    private static Path executable(Path file, byte[] content) throws IOException {
        Files.createDirectories(file.getParent());
        Files.write(file, content);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Path installPackage(String nodeModules, String version) throws IOException {
        Path root = home.resolve(nodeModules).resolve("@anthropic-ai/claude-code-linux-x64");
        executable(root.resolve("claude"), ELF);
        Files.writeString(root.resolve("package.json"), "{\"version\": \"" + version + "\"}");
        return root;
    }

    @ParameterizedTest
    @CsvSource({
        ".nvm/versions/node/v22.1.0/lib/node_modules",
        ".local/share/fnm/node-versions/v22.1.0/installation/lib/node_modules",
        ".local/share/mise/installs/node/22.1.0/lib/node_modules",
        ".npm-global/lib/node_modules",
        ".local/lib/node_modules",
        ".volta/tools/image/packages/@anthropic-ai/claude-code/lib/node_modules",
        ".claude/local/node_modules",
        ".local/share/brig/agents/claude-2.1.330/node_modules",
        ".bun/install/global/node_modules"
    })
    void shouldFindThePackageWhereverNpmWasToldToPutIt(String nodeModules) throws IOException {
        Path root = installPackage(nodeModules, "2.1.330");
        Programs.Found found = find(Map.of());
        assertEquals("/opt/brig/program/claude", found.program());
        assertEquals("2.1.330", found.version());
        assertEquals(List.of(new Mount(root, Programs.PACKAGE, true)), found.mounts());
    }

    @Test
    void shouldTakeWhatThePathLeadsToFirstAndElseTheNewest() throws IOException {
        Path older = installPackage(".nvm/versions/node/v9.9.9/lib/node_modules", "1.0.0");
        Path newer = installPackage(".nvm/versions/node/v22.1.0/lib/node_modules", "2.0.0");
        assertEquals(newer, find(Map.of()).place());
        Path bin = Files.createDirectories(home.resolve(".nvm/versions/node/v9.9.9/bin"));
        assertEquals(
                older, find(Map.of("PATH", "relative:" + bin + ":/usr/bin")).place());
    }

    @Test
    void shouldTakeWhatBrigInstalledBeforeThePathAndTheNewestOfIt() throws IOException {
        Path bin = Files.createDirectories(home.resolve("node/bin"));
        Path path = installPackage("node/lib/node_modules", "1.0.0");
        Map<String, String> environment = Map.of("PATH", bin.toString(), "XDG_DATA_HOME", home + "/data");
        assertEquals(path, find(environment).place());
        installPackage("data/brig/agents/claude-2.1.9/node_modules", "2.1.9");
        Path newest = installPackage("data/brig/agents/claude-2.1.10/node_modules", "2.1.10");
        Files.createDirectories(home.resolve("data/brig/agents/codex-9.0.0/node_modules"));
        assertEquals(newest, find(environment).place());
    }

    @ParameterizedTest
    @CsvSource({
        ".local/bin/claude, .local/share/claude/versions/2.1.340, 2.1.340",
        ".opencode/bin/claude, .opencode/bin/claude-real, ",
        "own/claude, own/9.1.2/claude, 9.1.2"
    })
    void shouldFindTheProgramOfAVendorsInstaller(String link, String file, String version) throws IOException {
        Path real = executable(home.resolve(file), ELF);
        Files.createDirectories(home.resolve(link).getParent());
        Files.createSymbolicLink(home.resolve(link), real);
        Programs.Found found = find(Map.of("PATH", home.resolve("own").toString()));
        assertEquals(
                List.of(new Mount(real, Programs.PACKAGE.resolve("claude"), true)),
                found.mounts(),
                "one file, not its folder");
        assertEquals("/opt/brig/program/claude", found.program());
        assertEquals(version, found.version());
    }

    @Test
    void shouldNotTakeAShimOrAScriptForTheProgram() throws IOException {
        Path shim = executable(home.resolve(".volta/bin/volta-shim"), ELF);
        Files.createSymbolicLink(home.resolve(".volta/bin/claude"), shim);
        executable(
                home.resolve(".local/bin/claude"),
                "#!/bin/sh\nexec evil\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        assertThrows(
                BrigException.class,
                () -> find(Map.of("PATH", home.resolve(".volta/bin").toString())));
    }

    @Test
    void shouldSayWhatIsInTheWayWhenTheWorkersUserDoesNotGetThere() throws IOException {
        Path root = installPackage(".npm-global/lib/node_modules", "2.1.330");
        BrigException refused =
                assertThrows(BrigException.class, () -> find(Map.of(), path -> path.startsWith(home) ? home : null));
        assertTrue(
                refused.getMessage().contains(root + ", where the workers' user does not get: " + home + " is closed"),
                refused.getMessage());
        assertTrue(
                refused.getMessage().contains("npm install -g --include=optional @anthropic-ai/claude-code@2.1.330"));
    }
}
