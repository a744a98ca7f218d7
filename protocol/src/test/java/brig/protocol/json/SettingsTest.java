package brig.protocol.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.record.Default;
import brig.protocol.record.Range;
import brig.protocol.record.Settings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Settings
class SettingsTest {
    record Inner(
            int port,
            List<String> hosts,
            @Default @Range(min = 2, max = 9, orZero = true) int slots) {
        Inner {
            if (port < 1) {
                throw new IllegalArgumentException("port must be at least 1");
            }
        }
    }

    record Outer(String name, boolean flag, long bytes, Inner http, List<Inner> all, Map<String, Inner> named) {}

    private static final String GOOD = """
            {"name": "n", "flag": true, "bytes": 5000000000, // a comment
             "http": {"port": 7070, "hosts": ["a", "b"]}, "all": [{"port": 1, "hosts": []}],
             "named": {"x": {"port": 2, "hosts": []}}}""";

    private static Outer bind(String over) {
        return JsonObject.readCommented(GOOD)
                .overlaid(JsonObject.readCommented(over))
                .as(Outer.class);
    }

    @Test
    void shouldBindEveryKindOfValue() {
        Inner one = new Inner(1, List.of(), 0);
        assertEquals(
                new Outer(
                        "n",
                        true,
                        5_000_000_000L,
                        new Inner(7070, List.of("a", "b"), 0),
                        List.of(one),
                        Map.of("x", new Inner(2, List.of(), 0))),
                bind("{}"));
    }

    @Test
    void shouldLayOverKeyByKeyWhenItIsAnObjectAndWholeWhenItIsAList() {
        Outer outer = bind(
                "{\"flag\": false, \"http\": {\"hosts\": [\"c\"]}, \"named\": {\"y\": {\"port\": 3, \"hosts\": []}}}");
        assertEquals(new Inner(7070, List.of("c"), 0), outer.http());
        assertEquals(false, outer.flag());
        assertEquals(List.of("x", "y"), List.copyOf(outer.named().keySet()));
    }

    @Test
    void shouldBindObjectsThatWerePutTogether() {
        JsonObject inner =
                JsonObject.builder().put("port", 3L).put("hosts", List.of("d")).build();
        JsonObject whole = JsonObject.readCommented(GOOD).with("http", inner).with("all", List.of(inner));
        Outer outer = whole.as(Outer.class);
        assertEquals(new Inner(3, List.of("d"), 0), outer.http());
        assertEquals(List.of(outer.http()), outer.all());
    }

    @Test
    void shouldLeaveTheDefaultsAloneWhenSomethingIsLaidOverThem() {
        JsonObject base = JsonObject.readCommented(GOOD);
        base.overlaid(JsonObject.readCommented("{\"name\": \"m\", \"http\": {\"port\": 1}}"));
        assertEquals(JsonObject.readCommented(GOOD), base);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'colour': 1}                                | field 'colour' is not known here; known are [all, bytes, flag, http, name, named]",
                "{'http': {'colour': 1}}                      | field 'http.colour' is not known here; known are [hosts, port, slots]",
                "{'all': [{'port': 1, 'hosts': [], 'x': 1}]}  | field 'all[0].x' is not known here; known are [hosts, port, slots]",
                "{'named': {'x': {'y': 1}}}                   | field 'named.x.y' is not known here; known are [hosts, port, slots]",
                "{'name': null}                               | field 'name' is missing; it must be a string",
                "{'http': null}                               | field 'http' is missing; it must be an object",
                "{'all': null}                                | field 'all' is missing; it must be a list of objects",
                "{'named': []}                                | field 'named' must be an object",
                "{'named': {'x': null}}                       | field 'named.x' is missing; it must be an object",
                "{'name': 7}                                  | field 'name' must be a string",
                "{'flag': 'true'}                             | field 'flag' must be true or false",
                "{'flag': null}                               | field 'flag' is missing; it must be true or false",
                "{'bytes': 1.5}                               | field 'bytes' must be a whole number",
                "{'http': []}                                 | field 'http' must be an object",
                "{'http': {'hosts': 'a'}}                     | field 'http.hosts' must be a list of strings",
                "{'http': {'hosts': ['a', 7]}}                | field 'http.hosts[1]' must be a string",
                "{'http': {'hosts': [null]}}                  | field 'http.hosts[0]' is missing; it must be a string",
                "{'http': {'port': 2147483648}}               | field 'http.port' must be a whole number",
                "{'http': {'slots': 2147483648}}              | field 'http.slots' must be 0, or from 2 to 9",
                "{'http': {'slots': 1}}                       | field 'http.slots' must be 0, or from 2 to 9",
                "{'http': {'port': 0}}                        | http.port must be at least 1",
                "{'all': [{'port': 0, 'hosts': []}]}          | all[0].port must be at least 1"
            })
    void shouldNameThePathWhenAValueIsWrong(String over, String message) {
        BrigException fault = assertThrows(BrigException.class, () -> bind(over.replace('\'', '"')));
        assertEquals(message, fault.getMessage());
        assertEquals(ErrorCode.INVALID_FIELD, fault.code());
    }

    @Test
    void shouldNotChangeAnyMoreWhenItIsBound() {
        Outer outer = bind("{}");
        assertThrows(
                UnsupportedOperationException.class, () -> outer.http().hosts().add("c"));
        assertThrows(UnsupportedOperationException.class, () -> outer.named().clear());
    }

    record Optional(
            @Default String name,
            @Default("on") String mode,
            @Default("true") boolean flag,
            @Default("7") int port,
            @Default long bytes,
            @Default List<String> hosts,
            @Default Map<String, Inner> named,
            @Default Nested nested,
            @Default List<Object> any) {}

    record Nested(@Default boolean deep) {}

    @Test
    void shouldTakeTheDefaultOfAKeyThatIsLeftOutAndOfNoOther() {
        assertEquals(
                new Optional("", "on", true, 7, 0, List.of(), Map.of(), new Nested(false), List.of()),
                JsonObject.EMPTY.as(Optional.class));
        Optional given = JsonObject.readCommented("{\"port\": 8, \"any\": [\"a\", {\"b\": 1}]} // comment")
                .as(Optional.class);
        assertEquals(8, given.port());
        assertEquals(List.of("a", JsonObject.of(Map.of("b", 1L))), given.any());
        BrigException refusal = assertThrows(
                BrigException.class,
                () -> JsonObject.readCommented("{\"nested\": null}").as(Optional.class));
        assertEquals("field 'nested' is missing; it must be an object", refusal.getMessage());
    }
}
