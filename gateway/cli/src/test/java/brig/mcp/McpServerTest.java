package brig.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The protocol without its tools: both eras, and lines that no client should send. */
@Timeout(30)
class McpServerTest {
    private static JsonObject error(JsonObject answer) {
        return answer.object("error");
    }

    @ParameterizedTest
    @CsvSource({"2025-06-18,2025-06-18", "2024-11-05,2024-11-05", "2026-07-28,2025-11-25", "1,2025-11-25"})
    void shouldGreetWithAVersionOfTheEraOfGreetings(String asked, String got) throws Exception {
        try (Client client = new Client()) {
            client.write(
                    "{'jsonrpc':'2.0','id':'a','method':'initialize','params':{'protocolVersion':'" + asked + "'}}");
            JsonObject answer = client.read();
            assertEquals("a", answer.text("id"));
            assertEquals(got, answer.object("result").text("protocolVersion"));
            assertTrue(
                    answer.object("result").object("capabilities").names().containsAll(List.of("tools", "resources")));
            client.write("{'jsonrpc':'2.0','method':'notifications/initialized'}");
            client.write("{'jsonrpc':'2.0','id':1,'method':'tools/list'}");
            JsonObject tools = client.read().object("result");
            assertEquals(10, tools.objects("tools").size());
            assertFalse(tools.has("resultType"), "a field of the other era");
        }
    }

    @Test
    void shouldServeRequestsThatNameTheirVersionWithoutAGreeting() throws Exception {
        try (Client client = new Client()) {
            client.write("{'jsonrpc':'2.0','id':1,'method':'server/discover','params':{" + Client.MODERN + "}}");
            JsonObject found = client.read().object("result");
            assertEquals(List.of("2026-07-28"), found.texts("supportedVersions"));
            client.write("{'jsonrpc':'2.0','id':2,'method':'tools/list','params':{" + Client.MODERN + "}}");
            for (JsonObject result : List.of(found, client.read().object("result"))) {
                assertEquals("complete", result.text("resultType"));
                assertEquals("public", result.text("cacheScope"));
                assertTrue(result.has("ttlMs"));
                assertEquals(
                        "brig",
                        result.object("_meta")
                                .object("io.modelcontextprotocol/serverInfo")
                                .text("name"));
            }
            client.write("{'jsonrpc':'2.0','id':3,'method':'ping','params':{" + Client.MODERN + "}}");
            assertEquals(-32601, error(client.read()).number("code", 0), "it went with the greeting");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"'|-32602",
                "'\"io.modelcontextprotocol/clientCapabilities\":{}'|-32602",
                "'\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":1'|-32602",
                "'\"io.modelcontextprotocol/protocolVersion\":7,\"io.modelcontextprotocol/clientCapabilities\":{}'|-32602",
                "'\"io.modelcontextprotocol/protocolVersion\":\"1900-01-01\",\"io.modelcontextprotocol/clientCapabilities\":{}'|-32022"
            })
    void shouldRefuseARequestThatDoesNotSayWhatItIs(String meta, int code) throws Exception {
        try (Client client = new Client()) {
            client.write("{'jsonrpc':'2.0','id':1,'method':'server/discover','params':{'_meta':{" + meta + "}}}");
            JsonObject error = error(client.read());
            assertEquals(code, error.number("code", 0));
            assertEquals(
                    code == -32022 ? List.of("2026-07-28") : List.of(),
                    error.object("data").texts("supported"));
        }
    }

    @Test
    void shouldRefuseAnythingBeforeTheGreeting() throws Exception {
        try (Client client = new Client()) {
            client.write("{'jsonrpc':'2.0','id':1,'method':'tools/list'}");
            assertEquals(-32602, error(client.read()).number("code", 0));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[]|-32600",
                "7|-32700",
                "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}|-32600",
                "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}|-32600",
                "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}|-32600",
                "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}|-32600",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}|-32602",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[1]}|-32602",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}|-32700",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sampling/x\"}|-32601",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"rm\"}}|-32602",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"file:///etc/passwd\"}}|-32002",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"brig://sessions/../diff\"}}|-32002"
            })
    void shouldRefuseWhatNoClientShouldSend(String line, int code) throws Exception {
        try (Client client = Client.greeted()) {
            client.write(line.getBytes(UTF_8));
            JsonObject answer = client.read();
            assertEquals(code, error(answer).number("code", 0), answer::toString);
            client.write("{'jsonrpc':'2.0','id':9,'method':'ping'}");
            assertEquals(9, client.read().number("id", 0), "it goes on");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0xff, 0x00, -1})
    void shouldRefuseALineThatIsNoTextAndGoOn(int bad) throws Exception {
        byte[] line = bad < 0 ? new byte[5 * 1024 * 1024] : new byte[10];
        Arrays.fill(line, (byte) 'x');
        line[5] = bad < 0 ? (byte) 'x' : (byte) bad;
        line[line.length - 1] = '\n';
        ByteArrayOutputStream input = new ByteArrayOutputStream();
        input.writeBytes(line);
        input.writeBytes("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n".getBytes(UTF_8));
        try (Client client = new Client()) {
            client.reader().run(new ByteArrayInputStream(input.toByteArray()), sentence -> {});
            JsonObject refused = client.read();
            assertEquals(-32700, error(refused).number("code", 0));
            assertFalse(refused.names().contains("id"));
            assertEquals(1, client.read().number("id", 0));
        }
    }

    @Test
    void shouldBoundWhatRunsAtATime() throws Exception {
        try (Client client = Client.greeted()) {
            for (int id = 1; id <= 64; id++) {
                client.call(id, "status", "{'session':'s'}");
            }
            client.call(65, "status", "{'session':'s'}");
            assertTrue(error(client.read()).text("message", "").contains("64"));
            client.call(1, "status", "{'session':'s'}");
            assertTrue(client.read().has("error"));
            for (int id = 1; id <= 64; id++) {
                client.gateway.answer("{'error':'none','code':'NOT_FOUND'}".replace('\'', '"'));
                assertTrue(client.block(0).startsWith("NOT_FOUND: none"));
            }
        }
    }
}
