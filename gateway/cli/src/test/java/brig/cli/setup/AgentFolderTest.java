package brig.cli.setup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Agents are installed whole or not at all, by a script in place of npm. */
class AgentFolderTest {
    private static final PinnedAgent CLAUDE =
            new PinnedAgent("claude", "@anthropic-ai/claude-code", "2.1.330", List.of("none", "bin/claude"));
    private static final String PUTS_THE_PROGRAM =
            "mkdir -p node_modules/bin cache && echo \"$*\" >../../../arguments && cp /bin/sh node_modules/bin/claude";

    @TempDir
    private Path temporary;

    private AgentFolder folder;

    @BeforeEach
    void name() {
        folder = new AgentFolder(temporary.resolve("brig/agents"));
    }

    private Npm npm(String script) throws IOException {
        Path program = temporary.resolve("npm");
        Files.writeString(program, "#!/bin/sh\n" + script + "\n");
        return new Npm(Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x")));
    }

    private void assertNothingThere() {
        assertNull(folder.program(CLAUDE));
        assertFalse(folder.isThere());
    }

    @Test
    void shouldInstallThePinnedVersionWithoutItsScripts() throws IOException {
        folder.install(CLAUDE, npm(PUTS_THE_PROGRAM));
        assertEquals(temporary.resolve("brig/agents/claude-2.1.330/node_modules/bin/claude"), folder.program(CLAUDE));
        String arguments = Files.readString(temporary.resolve("brig/arguments"));
        assertTrue(arguments.contains(" --ignore-scripts ") && arguments.contains(" --location=project "), arguments);
        assertTrue(arguments.endsWith(" @anthropic-ai/claude-code@2.1.330\n"), arguments);
        try (var entries = Files.list(folder.path())) {
            assertEquals(1, entries.count(), "nothing of npm's cache and log is left");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "echo 'npm error code ENOTFOUND'; echo 'npm error network x'; exit 1 | code ENOTFOUND; network x; is the registry",
                "echo 'npm error code ENOSPC'; exit 1 | make room",
                "echo 'npm error code SELF_SIGNED_CERT_IN_CHAIN'; exit 1 | NODE_EXTRA_CA_CERTS",
                "echo 'npm error code ETARGET'; exit 1 | by hand: npm install -g --include=optional @anthropic-ai/claude-code@2.1.330",
                "kill -9 $$ | it says nothing",
                "mkdir -p node_modules/other | no program for this processor"
            })
    void shouldLeaveNothingOfAFailureAndSayItsCauseAndRemedy(String script, String said) throws IOException {
        Npm npm = npm("mkdir -p node_modules/bin; " + script);
        BrigException failure = assertThrows(BrigException.class, () -> folder.install(CLAUDE, npm));
        assertTrue(failure.getMessage().contains(said), failure.getMessage());
        assertNothingThere();
    }

    @Test
    void shouldNotRepeatWithoutBoundWhatNpmSays() throws IOException {
        Npm npm = npm("yes 'npm error \u001b[31mvery long' | head -c 300000; exit 1");
        BrigException failure = assertThrows(BrigException.class, () -> folder.install(CLAUDE, npm));
        assertTrue(failure.getMessage().length() < 600, failure.getMessage());
    }

    @Test
    void shouldReplaceWhatAKillLeft() throws IOException {
        Path left = Files.createDirectories(folder.path().resolve(".new/claude/node_modules/bin"));
        Files.copy(Path.of("/bin/sh"), left.resolve("claude"));
        Files.createDirectories(folder.path().resolve("claude-2.1.330/node_modules/half"));
        assertNull(folder.program(CLAUDE));
        folder.install(CLAUDE, npm(PUTS_THE_PROGRAM));
        assertNotNull(folder.program(CLAUDE));
        assertFalse(Files.exists(folder.path().resolve(".new")));
        assertFalse(Files.exists(folder.path().resolve("claude-2.1.330/node_modules/half")));
    }

    @Test
    void shouldRemoveOtherVersionsOfThatAgentAlone() throws IOException {
        folder.install(CLAUDE, npm(PUTS_THE_PROGRAM));
        PinnedAgent newer = new PinnedAgent("claude", CLAUDE.npm(), "2.2.0", CLAUDE.programs());
        PinnedAgent codex = new PinnedAgent("codex", "@openai/codex", "0.169.0", CLAUDE.programs());
        folder.install(newer, npm(PUTS_THE_PROGRAM));
        folder.install(codex, npm(PUTS_THE_PROGRAM));
        assertNotNull(folder.program(CLAUDE), "sessions may run it");
        folder.removeOthers(newer);
        assertNull(folder.program(CLAUDE));
        assertNotNull(folder.program(newer));
        assertNotNull(folder.program(codex));
        folder.remove();
        assertFalse(folder.isThere());
    }

    @Test
    void shouldBeSetUpByOneAtATime() {
        try (AgentFolder.Lock _ = folder.lock()) {
            BrigException refused = assertThrows(BrigException.class, folder::lock);
            assertEquals(ErrorCode.ALREADY_RUNNING, refused.code());
        }
        assertFalse(Files.exists(temporary.resolve("brig/setup.lock")));
        folder.lock().close();
    }

    @Test
    void shouldTakeNamesAndVersionsFromTheShippedProfiles() throws IOException {
        List<PinnedAgent> agents = PinnedAgent.of(Path.of("../.."));
        assertEquals(
                List.of("claude", "codex", "opencode"),
                agents.stream().map(PinnedAgent::name).toList());
        assertTrue(agents.stream().allMatch(agent -> agent.version().matches("\\d+\\.\\d+\\.\\d+")), agents::toString);
        assertEquals("@openai/codex", agents.get(1).npm());
    }

    @Test
    void shouldFindProgramsAndNamesOfKeysAlone() throws IOException {
        Path bin = Files.createDirectory(temporary.resolve("bin"));
        Path git = Files.writeString(bin.resolve("git"), "#!/bin/sh\necho git version 2.39.5\n");
        Files.setPosixFilePermissions(git, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(bin.resolve("npm"), "not executable");
        HostTools host =
                new HostTools(Map.of("PATH", "relative:" + bin, "OPENAI_API_KEY", "planted", "GEMINI_API_KEY", " "));
        assertEquals(List.of("OPENAI_API_KEY"), host.keys());
        assertEquals(
                List.of(
                        new HostTools.Tool("git", git.toString(), "2.39.5"),
                        new HostTools.Tool("node", null, null),
                        new HostTools.Tool("npm", null, null),
                        new HostTools.Tool("browser", null, null)),
                host.tools());
    }
}
