package brig.protocol.spec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.api.SpawnerRequest;
import brig.protocol.golden.Notation;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.json.TextBinding;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every JSON text that the specification and the golden scripts show is what the schemas say it is. */
class ExamplesTest {
    static List<ProtocolText.Example> examples() {
        return ProtocolText.examples();
    }

    @ParameterizedTest
    @MethodSource("examples")
    void shouldBeValidWhenProtocolTextShowsIt(ProtocolText.Example example) {
        assertEquals("", Schemas.faults(example.schema(), example.json()));
    }

    @Test
    void shouldHaveAnExampleWhenASchemaShips() {
        var shown =
                examples().stream().map(ProtocolText.Example::schema).collect(Collectors.toCollection(TreeSet::new));
        // The schema of errors is part of those of answers and of messages about a connection.
        shown.add("error");
        assertEquals(Schemas.names(), shown);
    }

    @Test
    void shouldBeValidFramesWhenTheEncoderWroteThem() throws IOException {
        List<String> frames = Files.readAllLines(Path.of("src/test/resources/golden/chunks.txt")).stream()
                .filter(line -> line.startsWith("{\"type\""))
                .toList();
        assertTrue(frames.size() > 10, "the golden scripts show frames");
        for (String frame : frames) {
            String json = new String(Notation.bytes(frame), StandardCharsets.UTF_8);
            assertEquals("", Schemas.faults("frame", json), frame);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "frame      | {`type`:`chunk`,`seq`:1,`ts`:1,`stream`:`stdout`}",
                "frame      | {`type`:`chunk`,`seq`:0,`ts`:1,`stream`:`stdout`,`content`:``}",
                "frame      | {`type`:`chunk`,`seq`:1,`stream`:`stdout`,`content`:``}",
                "frame      | {`type`:`done`,`seq`:1,`ts`:1}",
                "frame      | {`type`:`error`,`seq`:1,`ts`:1,`error`:`x`,`code`:`lower`}",
                "frame      | {`type`:`state`,`seq`:1,`ts`:1,`state`:`spawning`}",
                "frame      | {`type`:`gap`,`seq`:1,`ts`:1}",
                "connection | {`type`:`gap`,`from`:1,`to`:2,`reason`:`lost`}",
                "connection | {`type`:`gap`,`from`:1,`to`:2,`reason`:`epoch_changed`}",
                "connection | {`type`:`pong`,`seq`:1}",
                "connection | {`type`:`error`,`error`:`x`}",
                "connection | {`type`:`session`}",
                "connection | {`type`:`authenticated`,`spawn_id`:`x`}",
                "captain    | {`role`:`assistant`,`content`:`x`}",
                "captain    | {`role`:`user`}",
                "captain    | {`action`:`stop`}",
                "captain    | {`auth`:`x`,`from`:0}",
                "multiplex  | {`action`:`subscribe`}",
                "multiplex  | {`action`:`send`,`id`:`x`}",
                "request    | {`action`:`spawn`}",
                "request    | {`action`:`spawn`,`agent_config`:{`name`:`x`},`colour`:1}",
                "request    | {`action`:`spawn`,`agent_config`:{`name`:`x`,`colour`:1}}",
                "request    | {`action`:`status`}",
                "request    | {`action`:`list`,`id`:`x`}",
                "request    | {`action`:`fly`}",
                "request    | {`id`:`x`}",
                "spawn      | {`action`:`spawn`,`agent_config`:{`name`:`x`}}",
                "spawn      | {`agent_config`:{`name`:`x`},`task_id`:`../x`}",
                "spawn      | {`agent_config`:{`name`:`x`},`workspace`:`relative`}",
                "answer     | {`status`:`spawned`}",
                "problem    | {`code`:`INTERNAL`}",
                "error      | {`error`:``,`code`:`INTERNAL`}"
            })
    void shouldBeInvalidWhenAFieldIsWrong(String schema, String json) {
        assertFalse(Schemas.faults(schema, json.replace('`', '"')).isEmpty());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "frame      | {`type`:`hologram`,`seq`:1,`ts`:1,`x`:{}}",
                "frame      | {`type`:`done`,`seq`:1,`ts`:1,`exit_code`:137,`signal`:`SIGKILL`,`colour`:1}",
                "captain    | {`role`:`user`,`content`:`x`,`colour`:1}"
            })
    void shouldBeValidWhenReceiversIgnoreWhatTheyDoNotKnow(String schema, String json) {
        assertEquals("", Schemas.faults(schema, json.replace('`', '"')));
    }

    @Test
    void shouldBeReadableWhenAnExampleIsASpawnRequest() {
        List<ProtocolText.Example> spawns = examples().stream()
                .filter(example ->
                        example.schema().equals("spawn") || example.json().startsWith("{\"action\":\"spawn\""))
                .toList();
        assertEquals(8, spawns.size());
        for (ProtocolText.Example spawn : spawns) {
            var _ = Json.read(spawn.json().getBytes(StandardCharsets.UTF_8), SpawnerRequest.Spawn.class);
        }
    }

    @Test
    void shouldHaveTheFieldsOfTheCodeWhenASchemaClosesThem() {
        Map<String, Object> schema = Json.parseObject(Schemas.text("spawn").getBytes(StandardCharsets.UTF_8));
        JsonObject fields =
                JsonObject.of(schema).object("$defs").object("fields").object("properties");
        Set<String> read = new HashSet<>(new TextBinding<>(SpawnerRequest.Spawn.class, null).names());
        // How long to wait is a parameter over HTTP.
        read.remove("wait");
        assertEquals(read, fields.names());
    }
}
