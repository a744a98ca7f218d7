package brig.workeragent.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyTextTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "{\"egress\": {}} | {\"egress\": {\"allowedHosts\": [\"h\"]}}",
                "{\"egress\": {\"askMs\": 5}} | {\"egress\": {\"allowedHosts\": [\"h\"], \"askMs\": 5}}",
                "{\"egress\": {\"allowedHosts\": []}} | {\"egress\": {\"allowedHosts\": [\"h\"]}}",
                "{\"egress\": {\"allowedHosts\": [ \"a\" ]}} | {\"egress\": {\"allowedHosts\": [\"h\",  \"a\" ]}}",
                "{\"a\": [{\"egress\": 1}, \"}\"], \"egress\":{\"x\":{\"allowedHosts\":[1]}}} | {\"a\": [{\"egress\": 1}, \"}\"],"
                        + " \"egress\":{\"allowedHosts\": [\"h\"], \"x\":{\"allowedHosts\":[1]}}}",
                "{\"a\": \"\\\"egress\", \"b\": -1.5e3, \"c\": true, \"egress\": {}} | {\"a\": \"\\\"egress\", \"b\": -1.5e3, \"c\": true,"
                        + " \"egress\": {\"allowedHosts\": [\"h\"]}}",
            })
    void shouldAddTheHostAndChangeNothingElse(String before, String after) {
        assertEquals(after, PolicyText.withHost(before, "h"));
    }

    @Test
    void shouldKeepCommentsAndSpaces() {
        String before = """
                // "egress": {} of a comment
                {
                    /* { */ "mounts": {}, // }
                    "egress": { // what
                        "allowedHosts": [ // ]
                            "a" /* , */
                        ]
                    }
                }
                """;
        String after = PolicyText.withHost(before, "h");
        assertEquals(before.replace("[ // ]", "[\"h\",  // ]"), after);
        assertEquals(
                Map.of("allowedHosts", List.of("h", "a")),
                Json.parseCommented(after).get("egress"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"egress\": null}", "{\"a\": {\"egress\": {}}}"})
    void shouldRefuseWhenThereIsNoEgress(String text) {
        assertThrows(IllegalArgumentException.class, () -> PolicyText.withHost(text, "h"));
    }

    @Test
    void shouldUnderstandEveryPolicyThatIsShipped() throws IOException {
        for (String name : List.of("build", "claude", "codex", "nested", "opencode", "review")) {
            String text = Files.readString(Path.of("../config/policies").resolve(name + ".json"));
            Policy after = JsonObject.readCommented(PolicyText.withHost(text, "h.example"))
                    .as(Policy.class);
            assertEquals("h.example", after.egress().allowedHosts().getFirst(), name);
        }
    }
}
