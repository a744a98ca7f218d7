package brig.project;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.project.KeyEffect.Honoured;
import brig.protocol.BrigException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProjectSettingsTest {
    private static List<KeyEffect> effects(String text) {
        return ProjectSettings.read(text.getBytes(UTF_8)).effects();
    }

    private static Map<String, Honoured> honoured(String text) {
        return effects(text).stream().collect(Collectors.toMap(KeyEffect::key, KeyEffect::honoured));
    }

    @Test
    void shouldJudgeEveryKeyOfAWholeFile() {
        assertEquals(
                Map.ofEntries(
                        Map.entry("allowedHosts", Honoured.WITHIN_POLICY),
                        Map.entry("secrets.TOKEN", Honoured.WITHIN_POLICY),
                        Map.entry("secrets.TOKEN.value", Honoured.NO),
                        Map.entry("dnsMode", Honoured.WITHIN_POLICY),
                        Map.entry("auditNetwork", Honoured.YES),
                        Map.entry("mounts./workspace", Honoured.YES),
                        Map.entry("mounts./opt/tools", Honoured.WITHIN_POLICY),
                        Map.entry("mounts./opt/tools.owner", Honoured.NO),
                        Map.entry("mounts./root/.npm", Honoured.NO),
                        Map.entry("mounts./opt/../etc", Honoured.NO),
                        Map.entry("rootOverlay", Honoured.WITHIN_POLICY),
                        Map.entry("auditFilesystem", Honoured.NO),
                        Map.entry("imagePath", Honoured.NO),
                        Map.entry("env", Honoured.NO),
                        Map.entry("cpus", Honoured.NO),
                        Map.entry("memory", Honoured.NO),
                        Map.entry("warmPool", Honoured.NO),
                        Map.entry("somebodyElses", Honoured.NO)),
                honoured("""
                        // Comments are allowed.
                        {"allowedHosts": ["api.example.org"],
                         "secrets": {"TOKEN": {"hosts": ["api.example.org"], "envVar": "HOST_TOKEN", "value": "x"}},
                         "dnsMode": "trusted", "auditNetwork": true,
                         "mounts": {"/workspace": {"hostPath": ".", "readonly": true}, "/root/.npm": {"hostPath": "~/.npm"},
                                    "/opt/tools": {"hostPath": "/", "owner": "root"}, "/opt/../etc": {}},
                         "rootOverlay": true, "auditFilesystem": true, "imagePath": "./assets", "env": {"A": "b"},
                         "cpus": 4, "memory": "2G", "warmPool": 3, "somebodyElses": {}}
                        """));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rootOverlay | false | YES",
                "auditFilesystem | false | YES",
                "auditNetwork | false | WITHIN_POLICY",
                "allowedHosts | [] | YES",
                "secrets | {} | YES"
            })
    void shouldHonourWhatIsNotAskedFor(String key, String value, Honoured honoured) {
        assertEquals(honoured, honoured("{\"" + key + "\": " + value + "}").get(key));
    }

    @Test
    void shouldTellThatAbsentHostsAndSecretsAreNone() {
        assertEquals(Map.of("allowedHosts", Honoured.YES, "secrets", Honoured.YES), honoured("{}"));
    }

    @Test
    void shouldSayThatAnotherWorkspaceIsNotMounted() {
        assertEquals(
                Honoured.NO,
                honoured("{\"mounts\": {\"/workspace\": {\"hostPath\": \"/\"}}}")
                        .get("mounts./workspace.hostPath"));
    }

    @Test
    void shouldSayWhatToDoInsteadOfAKeyOfAnotherProgram() {
        KeyEffect image = effects("{\"imagePath\": \"./assets\"}").getLast();
        assertEquals("has no effect: a project cannot choose its programs", image.effect());
        assertTrue(image.instead() != null && image.instead().contains("brig image pull"), image.instead());
    }

    @Test
    void shouldCutOffLongKeys() {
        String key = "k".repeat(5000);
        assertEquals("k".repeat(100), effects("{\"" + key + "\": 1}").getLast().key());
    }

    @Test
    void shouldRefuseAFileThatIsTooLarge() {
        byte[] large = ("{}" + " ".repeat(ProjectSettings.BYTES_MAX)).getBytes(UTF_8);
        assertThrows(IllegalArgumentException.class, () -> ProjectSettings.read(large));
        assertEquals(
                ProjectSettings.BYTES_MAX / 16 + 2,
                effects(IntStream.range(0, ProjectSettings.BYTES_MAX / 16)
                                .mapToObj("\"%05d\": true"::formatted)
                                .collect(Collectors.joining(",", "{", "}")))
                        .size());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "{\"allowedHosts\": [1]}",
                "{\"dnsMode\": \"fast\"}",
                "{\"mounts\": {\"/x\": null}}",
                "{\"mounts\": {\"/x\": {\"hostPath\": 5}}}",
                "{\"rootOverlay\": 1}",
                "{\"a\": 1, \"a\": 2}"
            })
    void shouldRefuseWhatNoSessionStartsWith(String text) {
        assertThrows(BrigException.class, () -> effects(text));
    }

    @Test
    void shouldRefuseDeepFilesAndNoPaths() {
        assertThrows(BrigException.class, () -> effects("{\"a\":".repeat(5000) + "1" + "}".repeat(5000)));
        assertEquals(Honoured.NO, honoured("{\"mounts\": {\"/a\\u0000b\": {}}}").get("mounts./a\0b"));
        assertEquals(Honoured.NO, honoured("{\"mounts\": {\"\": {}}}").get("mounts."));
    }
}
