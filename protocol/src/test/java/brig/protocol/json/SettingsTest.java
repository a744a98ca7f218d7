package brig.protocol.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.record.IfAbsent;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {
    record Inner(int port, List<String> hosts) {
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
        return Settings.bind(Settings.overlay(Json.parseCommented(GOOD), Json.parseCommented(over)), Outer.class);
    }

    @Test
    void shouldBindEveryKindOfValue() {
        Inner one = new Inner(1, List.of());
        assertEquals(
                new Outer(
                        "n",
                        true,
                        5_000_000_000L,
                        new Inner(7070, List.of("a", "b")),
                        List.of(one),
                        Map.of("x", new Inner(2, List.of()))),
                bind("{}"));
    }

    @Test
    void shouldLayOverKeyByKeyWhenItIsAnObjectAndWholeWhenItIsAList() {
        Outer outer = bind(
                "{\"flag\": false, \"http\": {\"hosts\": [\"c\"]}, \"named\": {\"y\": {\"port\": 3, \"hosts\": []}}}");
        assertEquals(new Inner(7070, List.of("c")), outer.http());
        assertEquals(false, outer.flag());
        assertEquals(List.of("x", "y"), List.copyOf(outer.named().keySet()));
    }

    @Test
    void shouldBindObjectsThatWerePutTogether() {
        JsonObject inner =
                JsonObject.builder().put("port", 3L).put("hosts", List.of("d")).build();
        JsonObject whole = JsonObject.readCommented(GOOD).with("http", inner).with("all", List.of(inner));
        Outer outer = Settings.bind(whole, Outer.class);
        assertEquals(new Inner(3, List.of("d")), outer.http());
        assertEquals(List.of(outer.http()), outer.all());
    }

    @Test
    void shouldLeaveTheDefaultsAloneWhenSomethingIsLaidOverThem() {
        Map<String, Object> base = Json.parseCommented(GOOD);
        Settings.overlay(base, Json.parseCommented("{\"name\": \"m\", \"http\": {\"port\": 1}}"));
        assertEquals(Json.parseCommented(GOOD), base);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'colour': 1}                                | unknown key 'colour'; known are [name, flag, bytes, http, all, named]",
                "{'http': {'colour': 1}}                      | unknown key 'http.colour'; known are [port, hosts]",
                "{'all': [{'port': 1, 'hosts': [], 'x': 1}]}  | unknown key 'all[0].x'; known are [port, hosts]",
                "{'named': {'x': {'y': 1}}}                   | unknown key 'named.x.y'; known are [port, hosts]",
                "{'name': null}                               | key 'name' is missing; it must be a string",
                "{'http': null}                               | key 'http' is missing; it must be an object",
                "{'all': null}                                | key 'all' must be a list",
                "{'named': []}                                | key 'named' must be an object",
                "{'name': 7}                                  | key 'name' must be a string",
                "{'flag': 'true'}                             | key 'flag' must be boolean",
                "{'bytes': 1.5}                               | key 'bytes' must be long",
                "{'http': []}                                 | key 'http' must be an object",
                "{'http': {'hosts': ['a', 7]}}                | key 'http.hosts[1]' must be a string",
                "{'http': {'hosts': [null]}}                  | key 'http.hosts[0]' is missing; it must be a string",
                "{'http': {'port': 2147483648}}               | key 'http.port' must be int",
                "{'http': {'port': -2147483649}}              | key 'http.port' must be int",
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
            @IfAbsent String name,
            @IfAbsent("on") String mode,
            @IfAbsent("true") boolean flag,
            @IfAbsent("7") int port,
            @IfAbsent long bytes,
            @IfAbsent List<String> hosts,
            @IfAbsent Map<String, Inner> named,
            @IfAbsent Nested nested,
            @IfAbsent List<Object> any) {}

    record Nested(@IfAbsent boolean deep) {}

    @Test
    void shouldTakeTheDefaultOfAKeyThatIsLeftOutAndOfNoOther() {
        assertEquals(
                new Optional("", "on", true, 7, 0, List.of(), Map.of(), new Nested(false), List.of()),
                Settings.bind(JsonObject.EMPTY, Optional.class));
        Optional given = Settings.bind(
                JsonObject.readCommented("{\"port\": 8, \"any\": [\"a\", {\"b\": 1}]} // comment"), Optional.class);
        assertEquals(8, given.port());
        assertEquals(List.of("a", JsonObject.of(Map.of("b", 1L))), given.any());
        BrigException refusal = assertThrows(
                BrigException.class,
                () -> Settings.bind(JsonObject.readCommented("{\"nested\": null}"), Optional.class));
        assertEquals("key 'nested' is missing; it must be an object", refusal.getMessage());
    }
}
