package brig.protocol.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Default;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.Foreign;
import brig.protocol.record.Name;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.OrTrue;
import brig.protocol.record.OrWord;
import brig.protocol.record.Range;
import brig.protocol.record.Tagged;
import brig.protocol.record.WriteNull;
import brig.protocol.spawn.TerminalSize;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecordTest {
    enum Mode {
        FOLDER,
        SNAPSHOT
    }

    record Place(String folder, @OmitEmpty boolean shared) {}

    record Everything(
            String spawnId,
            @Range(min = 1, max = 10) long leaseSeconds,
            @OmitEmpty int port,
            double cost,
            boolean once,
            Mode workspaceMode,
            ErrorCode code,
            List<String> tools,
            @OmitEmpty List<Place> places,
            Map<String, String> labels,
            @Nullable Place place,
            @WriteNull @Nullable String prompt,

            @Name(value = "exit_code", old = "exitCode") @Nullable
            Integer exitCode,

            @Nullable JsonObject input,
            @Nullable Object id) {}

    @Tagged(value = "op", unknown = ErrorCode.UNKNOWN_ACTION)
    sealed interface Operation permits Spawn, TestRoute, Other {}

    record Spawn(String spawnId, @Nullable String via) implements Operation {}

    record TestRoute(String route) implements Operation {}

    sealed interface Other extends Operation permits Bye {}

    @Name("shutdown")
    record Bye() implements Other {}

    record Request(long id, @Flat Operation operation) {}

    record Mailbox(@Flat Place place, @Flat @Nullable Operation operation) {}

    @Extensible
    record Answer(String socket) {}

    @Tagged("type")
    @Extensible
    sealed interface Event {}

    record Began(@Nullable Mode mode) implements Event {}

    record Ended(Mode mode) implements Event {}

    @Extensible
    record Numbered(
            String type,
            long seq,

            @Flat(tagged = false) @Nullable Event event) {}

    @Foreign
    @CamelCase
    record Native(
            @Nullable String toolName,
            @Nullable Place place,
            long size,
            List<String> names,
            @Default("none") String title) {}

    @Foreign
    record Step(@Flat @Nullable Operation operation) {}

    @Foreign
    record Call(Native tool, @Nullable Native other) {}

    @Foreign
    record Strict(Place place) {}

    @Tagged(value = "method", content = "params")
    @Foreign
    sealed interface Method {}

    record Ask(String what, JsonObject input) implements Method {}

    @Name(value = "file/open", old = "file/read")
    record Open(String path) implements Method {}

    @Foreign
    record Line(@Nullable Object id, @Flat @Nullable Method method) {}

    record Wish(
            @NotEmpty String name,
            @NotEmpty @Nullable String model,
            @Default("folder") Mode mode,
            @Default("local") String provider) {}

    private static final String WHOLE =
            "{\"spawn_id\":\"spn_1\",\"lease_seconds\":3,\"port\":80,\"cost\":0.5,\"once\":true,"
                    + "\"workspace_mode\":\"snapshot\",\"code\":\"MAX_WORKERS\",\"tools\":[\"Bash\"],"
                    + "\"places\":[{\"folder\":\"/a\"},{\"folder\":\"/b\",\"shared\":true}],\"labels\":{\"a\":\"b\"},"
                    + "\"place\":{\"folder\":\"/c\"},\"prompt\":\"go\",\"exit_code\":-1,\"input\":{\"x\":[1,{\"y\":null}]},"
                    + "\"id\":\"seven\"}";

    private static <T> T read(String json, Class<T> type) {
        return Json.read(json.getBytes(StandardCharsets.UTF_8), type);
    }

    private static String write(Record record) {
        return new String(Json.write(record), StandardCharsets.UTF_8);
    }

    private static BrigException refusal(String json, Class<?> type) {
        return assertThrows(BrigException.class, () -> read(json, type));
    }

    @Test
    void shouldWriteWhatItReadInTheOrderOfTheComponents() {
        Everything read = read(WHOLE, Everything.class);
        assertEquals(Mode.SNAPSHOT, read.workspaceMode());
        assertEquals(List.of(new Place("/a", false), new Place("/b", true)), read.places());
        assertEquals(WHOLE, write(read));
    }

    @Test
    void shouldTakeAbsentFieldsForNothingAndWriteNoneThatIsNull() {
        Everything read = read(
                "{\"spawn_id\":\"s\",\"workspace_mode\":\"folder\",\"code\":\"INTERNAL\",\"prompt\":null}",
                Everything.class);
        assertEquals(
                "{\"spawn_id\":\"s\",\"lease_seconds\":0,\"cost\":0.0,\"once\":false,\"workspace_mode\":\"folder\","
                        + "\"code\":\"INTERNAL\",\"tools\":[],\"labels\":{},\"prompt\":null}",
                write(read));
    }

    @Test
    void shouldSayByWhichNameARecordIsTold() {
        assertEquals("test_route", Json.tag(new TestRoute("a")));
        assertEquals("shutdown", Json.tag(new Bye()));
    }

    @Test
    void shouldReadAnOldNameAndWriteTheNewOne() {
        Everything read = read(WHOLE.replace("exit_code", "exitCode"), Everything.class);
        assertEquals(WHOLE, write(read));
    }

    @Test
    void shouldRefuseTwoNamesOfOneField() {
        assertEquals(
                "field 'exitCode' is another name of 'exit_code', which is there already",
                refusal(WHOLE.replace("\"id\"", "\"exitCode\":0,\"id\""), Everything.class)
                        .getMessage());
    }

    @Test
    void shouldTakeAnEmptyTextForNoneAndAnAbsentOneForItsDefault() {
        Wish wish = new Wish("a", null, Mode.FOLDER, "local");
        assertEquals(wish, read("{\"name\":\"a\",\"model\":\"\"}", Wish.class));
        assertEquals("{\"name\":\"a\"}", write(wish));
        assertEquals(
                "{\"name\":\"a\",\"mode\":\"snapshot\",\"provider\":\"\"}",
                write(new Wish("a", null, Mode.SNAPSHOT, "")));
        assertEquals(
                "field 'name' is missing",
                refusal("{\"name\":\"\"}", Wish.class).getMessage());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            "spawn_id":"spn_1"        | "spawn_id":7        | field 'spawn_id' must be a string
            "spawn_id":"spn_1",       | ''                  | field 'spawn_id' is missing
            "lease_seconds":3         | "lease_seconds":11  | field 'lease_seconds' must be from 1 to 10
            "lease_seconds":3         | "lease_seconds":0.5 | field 'lease_seconds' must be a whole number
            "port":80                 | "port":4294967376   | field 'port' must be a whole number
            "cost":0.5                | "cost":"a"          | field 'cost' must be a number
            "once":true               | "once":1            | field 'once' must be true or false
            "snapshot"                | "elsewhere"         | field 'workspace_mode' must be folder or snapshot
            "tools":["Bash"]          | "tools":[1]         | field 'tools' must be a list of strings
            "tools":["Bash"]          | "tools":"Bash"      | field 'tools' must be a list of strings
            {"folder":"/a"}           | 1                   | field 'places' must be a list of objects
            {"folder":"/a"}           | {"folder":1}        | field 'folder' must be a string
            {"a":"b"}                 | {"a":1}             | field 'labels' must be a string
            "place":{"folder":"/c"}   | "place":{}          | field 'folder' is missing
            "input":{                 | "more":1,"input":{  | field 'more' is not known here; known are [code, cost, exit_code, id, input, labels, lease_seconds, once, place, places, port, prompt, spawn_id, tools, workspace_mode]
            """)
    void shouldNameTheFieldThatItRefuses(String from, String to, String message) {
        BrigException refusal = refusal(WHOLE.replace(from, to), Everything.class);
        assertEquals(ErrorCode.INVALID_FIELD, refusal.code());
        assertEquals(message, refusal.getMessage());
    }

    @Test
    void shouldTellTheRecordsOfATaggedTypeByTheirTag() {
        Request request = new Request(4, new TestRoute("anthropic"));
        String json = "{\"id\":4,\"op\":\"test_route\",\"route\":\"anthropic\"}";
        assertEquals(json, write(request));
        assertEquals(request, read(json, Request.class));
        assertEquals(new Bye(), read("{\"op\":\"shutdown\"}", Operation.class));
        assertEquals("{\"op\":\"shutdown\"}", write(new Bye()));
    }

    @Test
    void shouldRefuseATagThatIsNoneAndFieldsOfAnotherRecord() {
        BrigException unknown = refusal("{\"id\":1,\"op\":\"dance\"}", Request.class);
        assertEquals(ErrorCode.UNKNOWN_ACTION, unknown.code());
        assertEquals("unknown op 'dance'; known are spawn, test_route and shutdown", unknown.getMessage());
        for (String line : List.of("{\"id\":1}", "{\"op\":null}", "{\"op\":\"\"}")) {
            assertEquals("field 'op' is missing", refusal(line, Request.class).getMessage(), line);
        }
        assertEquals(
                "field 'op' must be a string",
                refusal("{\"op\":1}", Request.class).getMessage());
        assertEquals(
                "field 'op' is missing",
                refusal("{\"op\":\"\"}", Operation.class).getMessage());
        assertEquals(
                "field 'op' must be a string",
                refusal("{\"op\":[]}", Operation.class).getMessage());
        assertEquals(
                "field 'route' is not known here; known are [id, op, spawn_id, via]",
                refusal("{\"id\":1,\"op\":\"spawn\",\"route\":\"x\"}", Request.class)
                        .getMessage());
    }

    @Test
    void shouldLeaveOutAFlatRecordOfWhichThereIsNothing() {
        assertEquals(new Mailbox(new Place("/a", false), null), read("{\"folder\":\"/a\"}", Mailbox.class));
        assertEquals(
                new Mailbox(new Place("/a", false), new Bye()),
                read("{\"folder\":\"/a\",\"op\":\"shutdown\"}", Mailbox.class));
    }

    @Test
    void shouldIgnoreWhatANewerPeerSays() {
        assertEquals(new Answer("/s"), read("{\"socket\":\"/s\",\"more\":{}}", Answer.class));
    }

    @Test
    void shouldReadWhatItKnowsOfAKindThatOnlyANewerPeerKnows() {
        assertEquals(new Numbered("x", 1, null), read("{\"type\":\"x\",\"seq\":1,\"more\":[]}", Numbered.class));
        assertEquals(
                new Numbered("began", 1, new Began(null)),
                read("{\"type\":\"began\",\"seq\":1,\"mode\":\"elsewhere\",\"more\":[]}", Numbered.class));
        assertEquals(
                "field 'mode' must be folder or snapshot",
                refusal("{\"type\":\"ended\",\"mode\":\"elsewhere\"}", Event.class)
                        .getMessage());
        assertEquals(
                "field 'mode' must be a string",
                refusal("{\"type\":\"began\",\"mode\":1}", Event.class).getMessage());
    }

    @Test
    void shouldWriteATagWhereTheRecordHasIt() {
        String json = "{\"type\":\"ended\",\"seq\":1,\"mode\":\"folder\"}";
        Numbered numbered = new Numbered("ended", 1, new Ended(Mode.FOLDER));
        assertEquals(json, write(numbered));
        assertEquals(numbered, read(json, Numbered.class));
    }

    @Test
    void shouldTakeWhatAForeignProgramGotWrongForAbsent() {
        assertEquals(
                new Native(null, null, 7, List.of("a"), "none"),
                read(
                        "{\"toolName\":1,\"place\":{},\"size\":7.0,\"names\":[\"a\",2,null],\"title\":5,\"x\":1}",
                        Native.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"op\":null}", "{\"op\":7}", "{\"op\":\"dance\"}"})
    void shouldTakeAKindThatAForeignProgramDoesNotNameForAbsent(String message) {
        assertEquals(new Step(null), read(message, Step.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"tool\":null,\"other\":null}", "{\"tool\":7,\"other\":7}"})
    void shouldTakeARecordThatAForeignProgramLeavesOutForOneOfAbsentFields(String message) {
        assertEquals(new Call(new Native(null, null, 0, List.of(), "none"), null), read(message, Call.class));
        assertEquals(
                "field 'place' is missing",
                assertThrows(BrigException.class, () -> read(message, Strict.class))
                        .getMessage());
    }

    @Test
    void shouldHaveTheFieldsOfATaggedTypeInTheObjectThatItNames() {
        String json = "{\"id\":7,\"method\":\"ask\",\"params\":{\"what\":\"x\",\"input\":{\"method\":\"y\"}}}";
        Line line = read(json, Line.class);
        assertEquals("x", ((Ask) line.method()).what());
        assertEquals(json, write(line));
        assertEquals(new Line(7L, null), read(json.replace("ask", "other"), Line.class));
        assertEquals(
                "field 'what' is missing",
                refusal("{\"method\":\"ask\"}", Method.class).getMessage());
    }

    @Test
    void shouldHaveOneCanonicalForm() {
        assertEquals(
                "{\"folder\":\"/b\",\"shared\":true}",
                new String(Json.canonical(new Place("/b", true)), StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(strings = {"file/open", "file/read"})
    void shouldTellARecordByEachOfItsNamesAndWriteTheFirst(String name) {
        Line line = read("{\"id\":\"a\",\"method\":\"" + name + "\",\"params\":{\"path\":\"/a\"}}", Line.class);
        assertEquals(new Line("a", new Open("/a")), line);
        assertEquals("{\"id\":\"a\",\"method\":\"file/open\",\"params\":{\"path\":\"/a\"}}", write(line));
    }

    record Labelled(Map<String, String> labels) {}

    @Test
    void shouldReadAMapOfAnObjectThatWasMade() {
        JsonObject made = JsonObject.builder()
                .put("labels", JsonObject.builder().put("a", "b").build())
                .build();
        assertEquals(new Labelled(Map.of("a", "b")), made.as(Labelled.class));
    }

    private record Optional(
            @OrTrue @Nullable TerminalSize tty,
            @OmitEmpty @OrWord("screen") @Range(min = 1) long from) {}

    private static String again(String json) {
        return new String(
                Json.write(
                        JsonObject.read(json.getBytes(StandardCharsets.UTF_8)).as(Optional.class)),
                StandardCharsets.UTF_8);
    }

    @Test
    void shouldTakeTrueForARecordOfDefaultsAndAWordForANumber() {
        assertEquals(
                "{\"tty\":{\"cols\":80,\"rows\":24},\"from\":\"screen\"}", again("{\"tty\":true,\"from\":\"screen\"}"));
        assertEquals("{\"tty\":{\"cols\":9,\"rows\":24},\"from\":7}", again("{\"tty\":{\"cols\":9},\"from\":7}"));
        assertEquals("{}", again("{\"tty\":false}"));
        for (String bad : List.of(
                "{\"tty\":1}",
                "{\"tty\":{\"cols\":0}}",
                "{\"tty\":{\"rows\":501}}",
                "{\"from\":-1}",
                "{\"from\":\"end\"}")) {
            assertEquals(
                    ErrorCode.INVALID_FIELD,
                    assertThrows(BrigException.class, () -> again(bad)).code(),
                    bad);
        }
    }
}
