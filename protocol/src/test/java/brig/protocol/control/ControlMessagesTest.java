package brig.protocol.control;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.json.Json;
import brig.protocol.spawn.SpawnRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The lines between a gateway and a worker-agent, as they stand in the package's note. */
class ControlMessagesTest {
    private static final String ID = "spn_0123456789abcdefghjkmnpq";

    private static <T> T read(String json, Class<T> type) {
        return Json.read(json(json).getBytes(StandardCharsets.UTF_8), type);
    }

    private static String json(String text) {
        return text.replace('\'', '"').replace("ID", ID);
    }

    private static String write(Record record) {
        return new String(Json.write(record), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'id':1,'op':'hello'}",
                "{'id':1,'op':'ping'}",
                "{'id':11,'op':'check','request':{'agent_config':{'name':'a','tools':[]},'once':false},'captain':'ci'}",
                "{'id':11,'op':'check','request':{'agent_config':{'name':'a','tools':[]},'once':false},'captain':'ci',"
                        + "'part':'handover'}",
                "{'id':2,'op':'spawn','spawn_id':'ID','request':{'agent_config':{'name':'a','tools':['x']},'prompt':'p',"
                        + "'once':true},'captain':'ci','admin':true,'via':'http','handed':true}",
                "{'id':2,'op':'spawn','spawn_id':'ID','request':{'agent_config':{'name':'a','tools':[]},'once':false},"
                        + "'captain':'ci','grant':{'policy':'p','open':true,'authority':'PEM','ports':[80],"
                        + "'routes':{'openai':'/v1'},'placeholders':{'T':'BRIG_SECRET_0'}}}",
                "{'id':2,'op':'grant','spawn_id':'ID','request':{'agent_config':{'name':'a','tools':[]},'once':false}}",
                "{'id':2,'op':'ungrant','spawn_id':'ID'}",
                "{'id':2,'op':'egress_event','spawn_id':'ID','event':{'kind':'answered','host':'a.example','port':80,"
                        + "'allowed':true,'rule':'a person allowed it'}}",
                "{'id':2,'op':'spawn','spawn_id':'ID','request':{'agent_config':{'name':'a','tools':['x']},'prompt':'p',"
                        + "'once':true},'captain':'ci','start':{'mirror':'0123456789abcdef0123456789abcdef','commit':"
                        + "'0123456789012345678901234567890123456789','config':'[core]','hidden':['.env']}}",
                "{'id':2,'op':'lendable','spawn_id':'ID','request':{'agent_config':{'name':'a','tools':[]},'once':false},"
                        + "'captain':'ci','admin':true}",
                "{'id':2,'op':'mirror','mirror':'0123456789abcdef0123456789abcdef'}",
                "{'id':3,'op':'terminate','spawn_id':'ID','reason':'requested','forget':true}",
                "{'id':'four','op':'list'}",
                "{'id':5,'op':'doctor'}",
                "{'id':6,'op':'diff','spawn_id':'ID'}",
                "{'id':6,'op':'apply','spawn_id':'ID','check':true,'allow':['*.sh']}",
                "{'id':7,'op':'workspaces'}",
                "{'id':8,'op':'discard','spawn_id':'ID'}",
                "{'id':8,'op':'egress','spawn_id':'ID'}",
                "{'id':9,'op':'egress','spawn_id':'ID','decision':'once','host':'a.example:8080'}",
                "{'id':9,'op':'egress','spawn_id':'ID','decision':'deny','host':'a.example','by':'ci','via':'http'}",
                "{'id':10,'op':'egress','spawn_id':'ID','decision':'revoke','secret':'KEY'}",
                "{'id':10,'op':'answer','spawn_id':'ID','ask_id':'a','option':'save','by':'ci','via':'cli','admin':true}",
                "{'id':10,'op':'answer','spawn_id':'ID','ask_id':'a','text':'the second','by':'ci','via':'cli'}",
                "{'id':11,'op':'audit','from':'3-7'}",
                "{'id':11,'op':'audit'}",
                "{'id':11,'op':'test_route','route':'anthropic'}",
                "{'id':11,'op':'shutdown'}"
            })
    void shouldWriteARequestAsItWasRead(String line) {
        assertEquals(json(line), write(read(line, ControlCall.class)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {'id':1.5,'op':'hello'}                            | field 'id' must be a whole number or a short text
            {'op':'hello'}                                     | field 'id' is missing
            {'id':1}                                           | field 'op' is missing
            {'id':1,'op':'hello','more':1}                     | field 'more' is not known here; known are [id, op]
            {'id':1,'op':'diff'}                               | field 'spawn_id' is missing
            {'id':1,'op':'diff','spawn_id':'../x'}             | field 'spawn_id' must be spn_ and 24 characters 0-9 a-z
            {'id':1,'op':'egress','spawn_id':'ID','decision':'all','host':'a'} | field 'decision' must be allow, once, save, deny or revoke
            {'id':1,'op':'egress','spawn_id':'ID','decision':'save'}   | field 'host' is missing
            {'id':1,'op':'egress','spawn_id':'ID','decision':'revoke','host':'a'} | field 'secret' is missing
            {'id':1,'op':'test_route','route':''}              | field 'route' is missing
            {'id':1,'op':'mirror','mirror':'../x'}             | field 'mirror' must be 32 hexadecimal digits
            {'id':1,'op':'check','request':{'agent_config':{'name':'a'}},'captain':''} | field 'captain' is missing
            {'id':1,'op':'check','request':{'agent_config':{'name':'a'},'colour':1},'captain':'c'} | field 'colour' is not known
            """)
    void shouldNameTheFieldOfARequestThatItRefuses(String line, String message) {
        BrigException refusal = assertThrows(BrigException.class, () -> read(line, ControlCall.class));
        assertEquals(ErrorCode.INVALID_FIELD, refusal.code());
        assertTrue(refusal.getMessage().startsWith(message), refusal.getMessage());
    }

    @Test
    void shouldRefuseAnOperationThatThereIsNot() {
        BrigException refusal =
                assertThrows(BrigException.class, () -> read("{'id':1,'op':'dance'}", ControlCall.class));
        assertEquals(ErrorCode.UNKNOWN_ACTION, refusal.code());
    }

    @Test
    void shouldWriteAnAnswerWithItsIdAndReadItAsWhatWasAskedFor() {
        WorkersAnswer workers = new WorkersAnswer(
                List.of(new WorkersAnswer.WorkerView(
                        ID,
                        new SpawnAnswer(
                                "/w",
                                new Posture(
                                        "cgroup2",
                                        List.of("disk"),
                                        List.of(new Posture.Property("own-ipc", FindingStatus.OK, "ipc:[1]")),
                                        "a wall")),
                        7,
                        false,
                        true,
                        List.of())),
                List.of("spn_2"));
        String line = write(ControlAnswer.of(4L, workers));
        assertEquals(
                json("{'id':4,'ok':{'workers':[{'spawn_id':'ID','workspace':'/w','posture':{'limits':'cgroup2',"
                        + "'not_held':['disk'],'properties':[{'name':'own-ipc','status':'OK','detail':'ipc:[1]'}],"
                        + "'tool_wall':'a wall'},'last_seq':7,'ended':false,'working':true}],'starting':['spn_2']}}"),
                line);
        ControlAnswer read = read(line, ControlAnswer.class);
        assertEquals(4L, read.id());
        assertNull(read.refusal());
        assertEquals(workers, read.as(WorkersAnswer.class));
    }

    @Test
    void shouldTellARefusalFromAnAnswer() {
        BrigException why = new BrigException(ErrorCode.NOT_FOUND, "there is none");
        assertEquals(
                json("{'id':null,'error':'there is none','code':'NOT_FOUND'}"),
                write(ControlAnswer.refused(null, why)));
        ControlAnswer read = read(
                "{'id':1,'error':'later','code':'OF_A_LATER_VERSION','retry_after_seconds':2,'more':1}",
                ControlAnswer.class);
        BrigException refusal = read.refusal().toException();
        assertEquals(ErrorCode.INTERNAL, refusal.code());
        assertEquals("later", refusal.getMessage());
        assertEquals(2, refusal.retryAfterSeconds().orElse(0));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[1]",
                "{'link':'dance'}",
                "{'link':'control','spawn_id':'ID'}",
                "{'link':'control','epoch':-1}",
                "{'link':'control','epoch':'7'}",
                "{'link':'control','epoch':9223372036854775808}",
                "{'link':'worker','spawn_id':'ID'}",
                "{'link':'worker','spawn_id':'ID','resume':0}",
                "{'link':'worker','spawn_id':'ID','resume':'1'}",
                "{'link':'worker','spawn_id':'../x','resume':1}",
                "{'link':'port','spawn_id':'ID'}",
                "{'link':'port','spawn_id':'x','port':1}",
                "{'link':'port','spawn_id':'ID','port':65536}",
                "{'link':'granted','spawn_id':'ID'}",
                "{'link':'granted','spawn_id':'ID','role':'root'}",
                "{'link':'granted','spawn_id':'../x','role':'proxy'}",
                "{'link':'granted','spawn_id':'ID','role':'proxy','port':80}",
                "{'link':'granted','spawn_id':'ID','role':'transparent','port':80}",
                "{'link':'granted','spawn_id':'ID','role':'transparent','address':'1.2.3.4'}",
                "{'link':'granted','spawn_id':'ID','role':'transparent','address':'1.2.3.4','port':65536}",
                "{'link':'granted','spawn_id':'ID','role':'transparent','address':'1.2.3.256','port':80}",
                "{'link':'granted','spawn_id':'ID','role':'transparent','address':'1.2.3','port':80}",
                "{'link':'granted','spawn_id':'ID','role':'transparent','address':'1.2.3.4.','port':80}",
                "{'link':'granted','spawn_id':'ID','role':'transparent','address':'01.2.3.4','port':80}",
                "{'link':'granted','spawn_id':'ID','role':'transparent','address':'localhost','port':80}",
                "{'link':'egress','spawn_id':'ID'}"
            })
    void shouldRefuseAConnectionThatDoesNotSayWhatItIsFor(String line) {
        assertThrows(BrigException.class, () -> read(line, LinkPurpose.class));
    }

    @Test
    void shouldSayWhatAConnectionIsFor() {
        for (String line : List.of(
                json("{'link':'control'}"),
                json("{'link':'control','epoch':0}"),
                json("{'link':'egress','epoch':7}"),
                json("{'link':'egress_events'}"),
                json("{'link':'granted','spawn_id':'ID','role':'dns','refused':'a lie'}"),
                json("{'link':'granted','spawn_id':'ID','role':'transparent','address':'1.2.3.4','port':443}"),
                json("{'link':'worker','spawn_id':'ID','resume':7}"),
                json("{'link':'worker','spawn_id':'ID','resume':7,'epoch':1764100000000}"),
                json("{'link':'port','spawn_id':'ID','port':80,'epoch':9223372036854775807}"))) {
            assertEquals(line, write((Record) read(line, LinkPurpose.class)));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'policy':'p','open':true,'ports':[0]}",
                "{'policy':'p','open':true,'ports':[65536]}",
                "{'open':true}",
                "{'policy':'p','open':true,'hosts':['a.example']}"
            })
    void shouldRefuseAGrantThatNoWallCanBeBuiltFor(String grant) {
        String line = "{'id':1,'op':'spawn','spawn_id':'ID','request':{'agent_config':{'name':'a'}},'captain':'c',"
                + "'grant':" + grant + "}";
        assertThrows(BrigException.class, () -> read(line, ControlCall.class));
    }

    @Test
    void shouldSayWhichPortAndWhetherTheConnectionStands() {
        String line = json("{'link':'port','spawn_id':'ID','port':8080}");
        assertEquals(line, write((Record) read(line, LinkPurpose.class)));
        assertEquals(json("{'ok':{}}"), write(PortAnswer.CONNECTED));
        assertEquals(PortAnswer.CONNECTED, read("{'ok':{}}", PortAnswer.class));
        BrigException full = new BrigException(ErrorCode.MAX_CONNECTIONS, "full", 1);
        assertEquals(
                json("{'error':'full','code':'MAX_CONNECTIONS','retry_after_seconds':1}"),
                write(PortAnswer.refused(full)));
    }

    @Test
    void shouldSayWhichTerminalAShellIsFor() {
        String line = json("{'link':'shell','spawn_id':'ID','rows':24,'columns':80,'term':'xterm-256color'");
        for (String rest : List.of("}", ",'language':'de_DE.UTF-8'}")) {
            String whole = line + json(rest);
            assertEquals(whole, write((Record) read(whole, LinkPurpose.class)));
        }
        for (String odd : List.of("'rows':0", "'columns':10000", "'term':'-x'", "'term':''", "'language':'a=b\\n'")) {
            String field = odd.substring(0, odd.indexOf(':'));
            String whole = line + json(field.equals("'language'") ? "," + odd + "}" : "}");
            String refused = whole.replaceFirst(json(field) + ":(\"[^\"]*\"|[0-9]+)", json(odd));
            assertThrows(BrigException.class, () -> read(refused, LinkPurpose.class), refused);
        }
    }

    @Test
    void shouldKeepARequestAsItWasApartFromItsPrompt() {
        SpawnRequest request = read(
                "{'agent_config':{'name':'a','model':'m','tools':[],'system_prompt':'s'},'prompt':'p','once':false,"
                        + "'workspace_mode':'worktree','repository':'/r','share_workspace':true}",
                SpawnRequest.class);
        assertEquals(
                json("{'agent_config':{'name':'a','model':'m','tools':[],'system_prompt':'s'},'once':false,"
                        + "'workspace_mode':'worktree','repository':'/r','share_workspace':true}"),
                write(request.withoutPrompt()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'transfer':'lend','request':{'agent_config':{'name':'a','tools':[]},'once':false},'captain':'ci',"
                        + "'have':['0123456789012345678901234567890123456789']}",
                "{'transfer':'receive','mirror':'0123456789abcdef0123456789abcdef','commit':"
                        + "'0123456789012345678901234567890123456789','head':"
                        + "'0123456789012345678901234567890123456789','bytes':4294967296}",
                "{'transfer':'changes','spawn_id':'ID'}",
                "{'transfer':'hand_over','spawn_id':'ID','request':{'agent_config':{'name':'a','tools':[]},'once':false},"
                        + "'network':true}",
                "{'transfer':'take_over','spawn_id':'ID','bytes':1048576}",
                "{'transfer':'apply','spawn_id':'ID','check':true,'allow':['*.sh'],'bytes':67108864}"
            })
    void shouldWriteATransferAsItWasRead(String line) {
        assertEquals(json(line), write((Record) read(line, TransferRequest.class)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {'transfer':'changes','spawn_id':'..'}                          | field 'spawn_id' is none
            {'transfer':'apply','spawn_id':'ID','bytes':67108865}           | field 'bytes' must be from 0 to 67108864
            {'transfer':'take_over','spawn_id':'ID','bytes':1048577}        | field 'bytes' must be from 0 to 1048576
            {'transfer':'take_over','spawn_id':'../x','bytes':1}            | field 'spawn_id' is none
            {'transfer':'lend','request':{'agent_config':{'name':'a'}},'captain':'c','have':['HEAD']} | field 'have' must be the id of a commit
            {'transfer':'lend','request':{'agent_config':{'name':'a'}},'captain':'c','have':['--all']} | field 'have' must be the id of a commit
            """)
    void shouldNameTheFieldOfATransferThatItRefuses(String line, String message) {
        BrigException refusal = assertThrows(BrigException.class, () -> read(line, TransferRequest.class));
        assertTrue(refusal.getMessage().contains(message), refusal.getMessage());
    }

    @Test
    void shouldWriteTheLineOfAnAcknowledgementAsTheRecordIsWritten() {
        for (long seq : new long[] {1, 10, Limits.SEQ_MAX}) {
            assertArrayEquals(Json.writeLine(WorkerLine.ack(seq)), WorkerLine.ackLine(seq));
        }
    }
}
