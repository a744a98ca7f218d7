package brig.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.protocol.BrigException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTextTest {
    private static final String KEPT = """
            // mine
            {
              "$schema": "x", /* here too */
              "agent": {
                "build": {"mode": "primary"}, // the one I use
              },
              "theme":   "dark"
            }
            """;

    @Test
    void shouldPutMembersAndLeaveAllElseAsItIs() {
        JsonText json = new JsonText(KEPT);
        json.put(List.of("agent", "reviewer"), "{\n  \"mode\": \"subagent\"\n}");
        json.put(List.of("provider", "brig"), "{}");
        json.put(List.of("theme"), "\"light\"");
        assertEquals("""
                // mine
                {
                  "$schema": "x", /* here too */
                  "agent": {
                    "build": {"mode": "primary"},
                    "reviewer": {
                      "mode": "subagent"
                    }, // the one I use
                  },
                  "theme":   "light",
                  "provider": {
                    "brig": {}
                  }
                }
                """, json.text());
        assertEquals("{\n      \"mode\": \"subagent\"\n    }", json.get(List.of("agent", "reviewer")));
        assertNull(json.get(List.of("agent", "other")));
        assertNull(json.get(List.of("nobody", "other")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{ }",
                "{\"a\": 1}",
                "{\n  \"a\": {\"b\": [1, {\"c\": \"}\"}]}\n}\n",
                "{\"brig\": 1, \"a\": {}}",
                KEPT
            })
    void shouldTakeOutWhatItPutIn(String before) {
        JsonText json = new JsonText(before);
        String there = json.get(List.of("brig"));
        json.put(List.of("brig"), "{\"x\": 1}");
        if (there == null) {
            json.remove(List.of("brig"));
        } else {
            json.put(List.of("brig"), there);
        }
        assertEquals(before.replaceAll("^\\{ *\\}$", "{}"), json.text().replaceAll("^\\{\\s*\\}$", "{}"));
        json.remove(List.of("never", "there"));
    }

    @Test
    void shouldLayOutTheFirstMember() {
        JsonText json = new JsonText("{ }");
        json.put(List.of("a"), "1");
        assertEquals("{\n  \"a\": 1\n}", json.text());
    }

    @Test
    void shouldTakeOutTheFirstOfSeveral() {
        JsonText json = new JsonText("{\"a\": 1, \"b\": {\"c\": 2}, \"d\": 3}");
        json.remove(List.of("a"));
        assertEquals("{\"b\": {\"c\": 2}, \"d\": 3}", json.text());
        json.remove(List.of("b", "c"));
        assertEquals("{\"b\": {}, \"d\": 3}", json.text());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "7", "{", "{\"a\": }", "{\"a\": 1} trailing {"})
    void shouldRefuseWhatIsNoObject(String text) {
        assertThrows(BrigException.class, () -> new JsonText(text).put(List.of("a"), "1"));
    }

    @Test
    void shouldRefuseToPutIntoWhatIsNoObject() {
        JsonText json = new JsonText("{\"agent\": []}");
        assertThrows(BrigException.class, () -> json.put(List.of("agent", "x"), "1"));
        assertEquals("{\"agent\": []}", json.text());
    }
}
