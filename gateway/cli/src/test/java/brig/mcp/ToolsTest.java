package brig.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(30)
class ToolsTest {
    private static final String SPAWNED = json("{'task_id':'t','spawn_id':'spn_1','workspace':'/w',"
            + "'auth_token':'SECRET-1','watcher_token':'SECRET-2','io_socket':'/x','status':'spawned'}");

    private Client client;

    @BeforeEach
    void greet() throws InterruptedException {
        client = Client.greeted();
    }

    @AfterEach
    void close() {
        client.close();
    }

    private static String json(String text) {
        return text.replace('\'', '"');
    }

    private static String view(String activity, long lastSeq) {
        return json("{'spawn_id':'spn_1','task_id':'t','provider':'local','agent':'mock','state':'running',"
                + "'activity':'" + activity + "','workspace':'/w','captain':'uid:0','epoch':'e','last_seq':" + lastSeq
                + "}");
    }

    private static String welcome(String epoch) {
        return json("{'type':'authenticated','spawn_id':'spn_1','task_id':'t','role':'captain','epoch':'" + epoch
                + "','from':1,'state':'running'}");
    }

    private void frame(long seq, String rest) {
        client.gateway.frame(json("{'type':" + rest + ",'seq':" + seq + ",'ts':1}"), true);
    }

    private String asked() throws InterruptedException {
        return client.gateway.said.take();
    }

    /** A wait that reads the session, of which there are so many frames. */
    private IntConsumer await(String cursor, String activity, long lastSeq) throws InterruptedException {
        client.gateway.answer(view(activity, lastSeq));
        client.gateway.answer(welcome("e"));
        client.call(1, "wait", "{'session':'t'" + cursor + "}");
        asked();
        asked();
        return client.ticks.next();
    }

    @Test
    void shouldStartAnAgentInAWorktreeOfTheProjectAndKeepItsTokens(@TempDir Path folder) throws Exception {
        Files.createDirectory(folder.resolve(".git"));
        Path inner = Files.createDirectories(folder.resolve("src/main"));
        try (Client here = new Client(inner)) {
            here.gateway.answer(SPAWNED);
            here.write("{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{" + Client.MODERN
                    + ",'name':'spawn','arguments':{'agent':'mock','prompt':'Do it'}}}");
            String answer = here.readLine();
            JsonObject request = JsonObject.read(here.gateway.said.take().getBytes(UTF_8));
            assertEquals(folder.toString(), request.text("repository"));
            assertEquals("snapshot", request.text("workspace_mode"));
            assertEquals("mcp", request.text("client"));
            assertFalse(answer.contains("SECRET"), answer);
            assertTrue(answer.contains("spn_1") && answer.contains("\\\"cursor\\\":\\\"1\\\""), answer);
            assertTrue(answer.contains("\"resultType\":\"complete\""), answer);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "wait|{'session':'t','cursor':'../1'}|cursor",
                "wait|{'session':'t','cursor':'9999999999999999'}|cursor",
                "wait|{'session':'t','seconds':3600}|seconds",
                "wait|{'session':''}|session",
                "wait|{'session':7}|session",
                "spawn|{}|agent",
                "spawn|{'agent':'a','workspace':'/w','repository':'/r'}|repository",
                "spawn|{'agent':'a','permissions':'everything'}|permissions",
                "spawn|{'agent':'a','request_id':'x'}|request_id",
                "answer|{'ask_id':'a'}|option",
                "answer|{'ask_id':'a','option':'x','text':'y'}|option",
                "apply|{'session':'t','allow':['*']}|allow",
                "terminate|{'session':'t','force':true}|force"
            })
    void shouldTellTheModelWhichArgumentIsWrong(String tool, String arguments, String named) throws Exception {
        client.gateway.answer(view("idle", 3));
        client.call(1, tool, arguments);
        JsonObject result = client.read().object("result");
        assertTrue(result.flag("isError"), result::toString);
        String why = result.objects("content").getFirst().text("text", "");
        assertTrue(why.startsWith("INVALID_FIELD") && why.contains(named), why);
    }

    @Test
    void shouldReturnWhatATurnSaidAndWhereTheNextReadingBegins() throws Exception {
        await("", "working", 0);
        frame(1, "'message','message_id':'m','content':'Do it','by':'uid:0'");
        frame(2, "'chunk','stream':'thought','content':'hidden'");
        frame(3, "'tool','id':'c','name':'bash','status':'running','input':{'command':'make'}");
        frame(4, "'chunk','stream':'text','tool':'c','content':'not of the agent'");
        frame(5, "'chunk','stream':'text','content':'Done\\u001b[2J.'");
        client.gateway.answer(view("idle", 6));
        frame(6, "'done','exit_code':0");
        JsonObject result = client.read().object("result");
        JsonObject facts = JsonObject.read(
                result.objects("content").getFirst().text("text", "").getBytes(UTF_8));
        assertFalse(facts.flag("running"));
        assertEquals("7@e", facts.text("cursor"));
        assertEquals(
                "[message from uid:0: Do it]\n[tool bash make]\nDone\\u001b[2J.\n[turn ended, exit code 0]\n",
                result.objects("content").getLast().text("text"));
    }

    @Test
    void shouldReturnBeforeTheClientsLimitAndTellOfProgressAllTheTime() throws Exception {
        // Scenario: a child works for thirty minutes and says nothing but a word for each wait.
        int waits = 30 * 60 / 45;
        for (int wait = 0; wait < waits; wait++) {
            IntConsumer second = await(",'cursor':'" + (wait + 1) + "@e'", "working", wait);
            frame(wait + 1, "'chunk','stream':'text','content':'tok" + wait + "'");
            client.gateway.reads.acquire(2);
            for (int now = 1; now <= 44; now++) {
                // The gateway is asked at quiet times whether the agent works, and says so.
                client.gateway.answer(view("working", wait + 1));
                second.accept(now);
                if (now % 10 == 0) {
                    JsonObject progress = client.read();
                    assertEquals("notifications/progress", progress.text("method"));
                    assertEquals(now, progress.object("params").number("progress", 0));
                }
            }
            second.accept(45);
            JsonObject facts = client.facts();
            assertTrue(facts.flag("running"));
            assertEquals((wait + 2) + "@e", facts.text("cursor"));
            client = again(client);
        }
    }

    /** Another client each time, for the answers of a script that nobody asked for. */
    private static Client again(Client before) throws InterruptedException {
        before.close();
        return Client.greeted();
    }

    @Test
    void shouldNotWaitForASessionThatHasNothingToDo() throws Exception {
        IntConsumer second = await(",'cursor':'3@e'", "idle", 2);
        second.accept(1);
        second.accept(2);
        client.gateway.answer(view("idle", 2));
        second.accept(3);
        assertFalse(client.facts().flag("running"));
    }

    @Test
    void shouldReturnAtOnceWhenTheAgentAsks() throws Exception {
        await("", "working", 0);
        client.gateway.answer(view("waiting", 1));
        client.gateway.answer(
                json("{'asks':[{'spawn_id':'spn_1','task_id':'t','profile':'mock','ask_id':'ask_1','kind':"
                        + "'tool','title':'Run it?','detail':'rm -r x','options':[{'id':'allow','name':'Allow'}],'deadline':9,"
                        + "'default':'deny'}]}"));
        frame(
                1,
                "'ask','ask_id':'ask_1','kind':'tool','title':'Run it?','options':[{'id':'allow','name':'Allow'}],"
                        + "'deadline':9,'default':'deny'");
        JsonObject facts = client.facts();
        assertTrue(facts.flag("running"));
        assertEquals("ask_1", facts.objects("asks").getFirst().text("ask_id"));
        assertEquals("allow", facts.objects("asks").getFirst().text("choices"));
    }

    @Test
    void shouldBoundWhatOneResultHas() throws Exception {
        await("", "working", 0);
        client.gateway.answer(view("working", 60));
        for (int seq = 1; seq <= 30; seq++) {
            frame(seq, "'chunk','stream':'text','content':'" + "x".repeat(1000) + "'");
        }
        JsonObject result = client.read().object("result");
        int length = result.objects("content").getLast().text("text", "").length();
        assertTrue(length >= 16_000 && length <= 32_100, "" + length);
        assertTrue(result.objects("content").getFirst().text("text", "").contains("\"more\":true"));
    }

    @Test
    void shouldGoOnWhenTheGatewayIsBack() throws Exception {
        await("", "working", 0);
        frame(1, "'chunk','stream':'text','content':'one'");
        client.gateway.answer(json("{'error':'not yet','code':'SHUTTING_DOWN'}"));
        client.gateway.answer(welcome("e"));
        client.gateway.cut();
        asked();
        assertTrue(asked().contains("\"from\":2"), "from the first frame that was not read");
        client.gateway.answer(view("idle", 2));
        frame(2, "'done','exit_code':0");
        assertTrue(client.block(1).startsWith("one\n[turn ended"));
    }

    @Test
    void shouldSayThatAStreamBeganAnew() throws Exception {
        await(",'cursor':'7@other'", "working", 0);
        client.gateway.answer(view("idle", 1));
        frame(1, "'done','exit_code':1,'reason':'failed'");
        assertEquals(
                "[the stream began anew; what it had before is lost]\n[turn ended, exit code 1, failed]\n",
                client.block(1));
    }

    @Test
    void shouldNotAnswerACancelledRequest() throws Exception {
        await("", "working", 0);
        client.gateway.answer(view("working", 0));
        client.write("{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':'no such'}}");
        client.write("{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':1}}");
        client.write("{'jsonrpc':'2.0','id':2,'method':'ping'}");
        assertEquals(2, client.read().number("id", 0));
        client.close();
        assertEquals(1, client.ticks.ended());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'type':'accepted','seq':3,'ts':1,'message_id':'m'}|\"cursor\":\"3@e\"",
                "{'type':'error','error':'held','code':'CONTROL_HELD'}|CONTROL_HELD: held",
                "{'type':'error','error':'new','code':'OF_LATER'}|INPUT_NOT_ACCEPTED: new",
                "{'type':'state','seq':3,'ts':1,'state':'terminated'}|SESSION_ENDED"
            })
    void shouldSayWhatBecameOfAMessage(String line, String said) throws Exception {
        client.gateway.answer(view("idle", 2));
        client.gateway.answer(welcome("e"));
        client.call(1, "send", "{'session':'t','message':'Go on','message_id':'m'}");
        asked();
        asked();
        assertTrue(asked().contains("Go on"));
        client.gateway.frame(json(line), true);
        String block = client.block(0);
        assertTrue(block.contains(said), block);
    }

    @Test
    void shouldLeaveWithheldFilesToAPerson() throws Exception {
        client.gateway.answer(json("{'spawn_id':'spn_1','repository':'/r','stat':'','patch':'x','withheld':"
                + "[{'path':'.envrc','reason':'startup_file'}]}"));
        client.call(1, "apply", "{'session':'t'}");
        JsonObject facts = client.facts();
        assertFalse(facts.flag("applied"));
        assertTrue(facts.text("next", "").contains("brig apply spn_1 --allow"), facts::toString);
        assertFalse(asked().contains("allow"));
    }

    @Test
    void shouldListAndReadStreamsAndDiffs() throws Exception {
        client.gateway.answer("{\"spawns\":[" + view("idle", 1) + "]}");
        client.write("{'jsonrpc':'2.0','id':1,'method':'resources/list'}");
        String uri =
                client.read().object("result").objects("resources").getFirst().text("uri");
        client.gateway.answer(view("idle", 1));
        client.gateway.answer(welcome("e"));
        client.write("{'jsonrpc':'2.0','id':2,'method':'resources/read','params':{'uri':'" + uri + "'}}");
        client.ticks.next();
        asked();
        asked();
        asked();
        frame(1, "'chunk','stream':'text','content':'hello'");
        assertEquals(
                "hello",
                client.read().object("result").objects("contents").getFirst().text("text"));
        client.gateway.answer(json("{'spawn_id':'spn_1','workspace':'/w','diff':'+x','truncated':true}"));
        client.write(
                "{'jsonrpc':'2.0','id':3,'method':'resources/read','params':{'uri':'brig://sessions/spn_1/diff'}}");
        assertTrue(client.read()
                .object("result")
                .objects("contents")
                .getFirst()
                .text("text", "")
                .startsWith("+x\n[cut off"));
    }
}
