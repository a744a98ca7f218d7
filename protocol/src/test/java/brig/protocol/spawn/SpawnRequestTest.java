package brig.protocol.spawn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Splits;
import brig.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpawnRequestTest {
    private static SpawnRequest read(String json) {
        return Json.read(Splits.utf8(json.replace('\'', '"')), SpawnRequest.class);
    }

    @Test
    void shouldReadEveryField() {
        assertEquals(
                new SpawnRequest(
                        "t-1",
                        "/w",
                        new SpawnRequest.AgentConfig("a", "m", List.of("x", "y"), "s"),
                        "p",
                        true,
                        "review",
                        SpawnRequest.WorkspaceMode.FOLDER,
                        null,
                        true,
                        new SpawnRequest.Claim("8e03978e-40d5-43dd-bc93-6894a57f9324", "far", "web/shop"),
                        new SpawnRequest.Bounds(List.of("A", "B"), 60, 5),
                        new SpawnRequest.Continuation("ses_1", true),
                        "lead"),
                read("{'task_id':'t-1','workspace':'/w','agent_config':{'name':'a','model':'m','tools':['x','y'],"
                        + "'system_prompt':'s'},'prompt':'p','once':true,'policy':'review',"
                        + "'provider':'far','request_id':'8E03978E-40d5-43dd-bc93-6894a57f9324','project':'web/shop',"
                        + "'env_allowlist':['B','A','B'],'timeout_seconds':60,'lease_seconds':5,'resume':'ses_1','record':true,"
                        + "'share_workspace':true,'parent':'lead'}"));
    }

    @Test
    void shouldNeedNoMoreThanAnAgent() {
        assertEquals(
                new SpawnRequest(null, null, new SpawnRequest.AgentConfig("a", null, List.of(), null), null, false),
                read("{'agent_config':{'name':'a'}}"));
        assertEquals(
                read("{'agent_config':{'name':'a'}}"),
                read("{'agent_config':{'name':'a','model':'','tools':[],'system_prompt':''}}"),
                "clients that have nothing to say");
    }

    @Test
    void shouldComeBackWhenItWasWritten() {
        for (String json : List.of(
                "{'agent_config':{'name':'a'}}",
                "{'task_id':'t','workspace':'/w','agent_config':{'name':'a','tools':['x']},'prompt':'p','once':true,"
                        + "'policy':'build'}",
                "{'agent_config':{'name':'a'},'workspace_mode':'copy','workspace':'/w'}",
                "{'agent_config':{'name':'a'},'request_id':'8e03978e-40d5-43dd-bc93-6894a57f9324','project':'p',"
                        + "'env_allowlist':[],'timeout_seconds':1,'lease_seconds':3600,'resume':'s','record':true,"
                        + "'share_workspace':true}",
                "{'agent_config':{'name':'a'},'variables':{'B':'','A':'x'},'prepare':['npm ci','make']}",
                "{'agent_config':{'name':'a'},'workspace_mode':'worktree','repository':'/r'}")) {
            SpawnRequest request = read(json);
            assertEquals(request, Json.read(Json.write(request), SpawnRequest.class));
        }
    }

    @Test
    void shouldBoundItsSetup() {
        Map<String, String> variables = new TreeMap<>();
        for (int i = 0; i <= Setup.VARIABLES_MAX; i++) {
            variables.put("V" + i, "");
        }
        assertThrows(BrigException.class, () -> new Setup(variables, List.of()));
        List<String> lines = Collections.nCopies(Setup.LINES_MAX + 1, "x");
        assertThrows(BrigException.class, () -> new Setup(Map.of(), lines));
        List<String> longLine = List.of("x".repeat(Setup.TEXT_MAX + 1));
        assertThrows(BrigException.class, () -> new Setup(Map.of(), longLine));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{}                                                | 'agent_config' is missing",
                "{'agent_config':{'name':''}}                      | 'name' is missing",
                "{'agent_config':'a'}                              | 'agent_config' must be an object",
                "{'agent_config':{'name':'a','colour':1}}          | 'colour' is not known",
                "{'agent_config':{'name':'a'},'task_id':'../x'}    | 'task_id' must match",
                "{'agent_config':{'name':'a'},'task_id':''}        | 'task_id' must match",
                "{'agent_config':{'name':'a'},'workspace':'w'}     | 'workspace' must be an absolute path",
                "{'agent_config':{'name':'a'},'workspace':''}      | 'workspace' must be an absolute path",
                "{'agent_config':{'name':'a'},'workspace':'/\\u0000'} | 'workspace' must be an absolute path",
                "{'agent_config':{'name':'a\\u0000'}}              | 'name' must not contain a NUL",
                "{'agent_config':{'name':'a','model':'\\u0000'}}   | 'model' must not contain a NUL",
                "{'agent_config':{'name':'a','system_prompt':'\\u0000'}} | 'system_prompt' must not contain a NUL",
                "{'agent_config':{'name':'a','tools':['\\u0000']}} | 'tools' must not contain a NUL",
                "{'agent_config':{'name':'a'},'variables':{'1':'x'}} | 'variables' must have names that match",
                "{'agent_config':{'name':'a'},'variables':{'A=B':'x'}} | 'variables' must have names that match",
                "{'agent_config':{'name':'a'},'variables':{'A':'\\u0000'}} | 'variables.A' must have at most 8192 characters, and no NUL",
                "{'agent_config':{'name':'a'},'variables':{'A':1}} | 'variables' must be a string",
                "{'agent_config':{'name':'a'},'prepare':[' ']}      | 'prepare' must not have an empty line",
                "{'agent_config':{'name':'a'},'prepare':['a\\u0000']} | 'prepare' must have at most 8192 characters, and no NUL",
                "{'agent_config':{'name':'a'},'prepare':'make'}     | 'prepare' must be a list of strings",
                "{'agent_config':{'name':'a','tools':'x'}}         | 'tools' must be a list of strings",
                "{'agent_config':{'name':'a'},'workspace_mode':'tree'} | 'workspace_mode' must be folder, worktree, snapshot or copy",
                "{'agent_config':{'name':'a'},'workspace_mode':'worktree'} | 'repository' goes with",
                "{'agent_config':{'name':'a'},'workspace_mode':'copy'} | 'workspace' is the folder to copy",
                "{'agent_config':{'name':'a'},'workspace_mode':'copy','workspace':'/w','repository':'/r'} | 'repository' goes with",
                "{'agent_config':{'name':'a'},'repository':'/r'}   | 'repository' goes with",
                "{'agent_config':{'name':'a'},'workspace_mode':'worktree','repository':'r'} | 'repository' must be an absolute",
                "{'agent_config':{'name':'a'},'workspace_mode':'worktree','repository':'/r','workspace':'/w'} | 'workspace' is chosen",
                "{'agent_config':{'name':'a'},'request_id':'1234'}  | 'request_id' must be a UUID",
                "{'agent_config':{'name':'a'},'project':'../x'}    | 'project' must match",
                "{'agent_config':{'name':'a'},'timeout_seconds':0} | 'timeout_seconds' must be from 1",
                "{'agent_config':{'name':'a'},'lease_seconds':0} | 'lease_seconds' must be from 1",
                "{'agent_config':{'name':'a'},'lease_seconds':3601} | 'lease_seconds' must be from 1",
                "{'agent_config':{'name':'a'},'env_allowlist':[1]} | 'env_allowlist' must be a list of strings",
                "{'agent_config':{'name':'a'},'resume':'--x'}      | 'resume' must match",
                "{'agent_config':{'name':'a'},'once':1}            | 'once' must be true or false"
            })
    void shouldNameTheFieldWhenItIsWrong(String json, String message) {
        BrigException fault = assertThrows(BrigException.class, () -> read(json));
        assertTrue(fault.getMessage().contains(message), fault.getMessage());
        assertEquals(ErrorCode.INVALID_FIELD, fault.code());
    }

    @Test
    void shouldBeTheSameRequestWhenItIsClaimedLater() {
        SpawnRequest request = read("{'agent_config':{'name':'a'},'project':'p','prompt':'do'}");
        SpawnRequest claimed = request.claimedAs("8e03978e-40d5-43dd-bc93-6894a57f9324");
        assertEquals(new SpawnRequest.Claim("8e03978e-40d5-43dd-bc93-6894a57f9324", "local", "p"), claimed.claim());
        assertEquals("do", claimed.prompt());
    }

    @Test
    void shouldReadAndWriteWhatBecomesOfTheRoot() {
        SpawnRequest request = read("{'agent_config':{'name':'a'},'root':'oci:x','root_overlay':'keep'}");
        assertEquals(RootOverlay.KEEP, request.place().rootOverlay());
        assertEquals(RootOverlay.KEEP, request.at("build1").place().rootOverlay());
        assertEquals(
                RootOverlay.NONE,
                request.with(request.place().overlaid(RootOverlay.NONE)).place().rootOverlay());
        assertTrue(new String(Json.write(request), StandardCharsets.UTF_8).contains("\"root_overlay\":\"keep\""));
        assertNull(read("{'agent_config':{'name':'a'}}").place().rootOverlay());
        assertThrows(BrigException.class, () -> read("{'agent_config':{'name':'a'},'root_overlay':'always'}"));
    }

    @Test
    void shouldReadATunnel() {
        SpawnRequest.Place place =
                read("{'agent_config':{'name':'a'},'tunnel':{'host':'build1','folder':'/srv/app','at':'/work'}}")
                        .place();
        assertEquals(
                SpawnRequest.Place.of(null, List.of(), List.of(new SpawnRequest.Tunnel("build1", "/srv/app", "/work"))),
                place);
        for (String home : List.of("~", "~/app")) {
            assertEquals(home, new SpawnRequest.Tunnel("build1", home, null).folder());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            'tunnel':{'host':'local','folder':'/a'}                          | tunnel.host
            'tunnel':{'host':'-oProxyCommand=x','folder':'/a'}               | tunnel.host
            'tunnel':{'host':'b','folder':'/'}                               | tunnel.folder
            'tunnel':{'host':'b','folder':'a'}                               | tunnel.folder
            'tunnel':{'host':'b','folder':'/a/../b'}                         | tunnel.folder
            'tunnel':{'host':'b','folder':'~root'}                           | tunnel.folder
            'tunnel':{'host':'b','folder':'~/../x'}                          | tunnel.folder
            'tunnel':{'host':'b','folder':'/a','at':'b'}                     | tunnel.at
            'tunnel':{'host':'b','folder':'/a'},'host':'c'                   | tunnel
            'further_tunnels':[{'host':'b','folder':'/a'}]                   | further_tunnels
            'tunnel':{'host':'b','folder':'/a'},'further_tunnels':[{'host':'b','folder':'/c'}] | further_tunnels
            'tunnel':{'host':'b','folder':'/a'},'further_tunnels':[{'host':'c','folder':'c'}] | tunnel.folder
            'tunnel':{'host':'b','folder':'/a'},'on':['gpu']                 | tunnel
            'tunnel':{'host':'b','folder':'/a'},'workspace':'/w'             | tunnel
            'host':'Build_1'                                                 | host
            'host':'b','on':['gpu']                                          | on
            'on':['a b']                                                     | on
            """)
    void shouldRefuseAPlaceThatIsNone(String fields, String named) {
        BrigException refusal =
                assertThrows(BrigException.class, () -> read("{'agent_config':{'name':'a'}," + fields + "}"));
        assertEquals(ErrorCode.INVALID_FIELD, refusal.code());
        assertTrue(refusal.getMessage().contains("'" + named + "'"), refusal.getMessage());
    }
}
