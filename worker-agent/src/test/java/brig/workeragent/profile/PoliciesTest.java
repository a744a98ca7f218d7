package brig.workeragent.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.Budget;
import brig.protocol.spawn.RootOverlay;
import brig.protocol.spawn.SpawnRequest;
import brig.workeragent.wall.Confinement;
import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PoliciesTest {
    private static final Path SHIPPED = Path.of("../config/policies");
    private static final int WORKER_UID = 59617;

    @TempDir
    Path folder;

    private Path host;
    private Path files;
    private Path base;

    @BeforeEach
    void makeFolders() throws IOException {
        files = Files.createDirectory(folder.resolve("policies"));
        host = Files.createDirectory(folder.resolve("host"));
        base = Files.createDirectories(folder.resolve("ann/brig/bases"));
        Files.createDirectories(folder.resolve("ann/secrets"));
        Files.createDirectories(folder.resolve("state/streams"));
    }

    private Policies policies(String... choosable) {
        MountRules rules = new MountRules(
                List.of(folder.resolve("ann")), List.of(folder.resolve("state")), List.of(base), WORKER_UID);
        return new Policies(List.of(files), rules, List.of(choosable), new ModelRoutes(folder.resolve("routes")));
    }

    private static AgentProfile profile(String policy) {
        return JsonObject.of(Map.of("description", "", "command", List.of("p"), "policy", policy))
                .as(AgentProfile.class);
    }

    private void write(String name, String mounts, String more) throws IOException {
        Files.writeString(files.resolve(name + ".json"), """
                // A comment.
                {"description": "d", "mounts": {"/workspace": {"hostPath": ".", "readonly": false}%s},
                "environment": ["PATH"], "privateFiles": [".env"]%s}
                """.formatted(mounts, more));
    }

    private static AgentProfile withModels(String policy, String... models) {
        return JsonObject.of(
                        Map.of("description", "", "command", List.of("p"), "policy", policy, "models", List.of(models)))
                .as(AgentProfile.class);
    }

    private void writeRoute(String name, String text) throws IOException {
        Files.writeString(Files.createDirectories(folder.resolve("routes")).resolve(name + ".json"), text);
    }

    @Test
    void shouldRefuseAnAgentWithoutAWayToItsModelAndSayWhatMendsIt() throws IOException {
        write("claude", "", "");
        BrigException refusal =
                assertThrows(BrigException.class, () -> policies().find(null, withModels("claude", "claude")));
        assertEquals(ErrorCode.MODEL_ROUTE_MISSING, refusal.code());
        assertEquals(
                3,
                refusal.getMessage()
                        .lines()
                        .filter(line -> line.startsWith("  brig route "))
                        .count(),
                refusal.getMessage());
        assertTrue(refusal.getMessage().contains("\n  brig route set claude --key-file FILE\n"), refusal.getMessage());
    }

    @Test
    void shouldLayARouteThatWasSetOverThePolicyOfTheProfileAtOnce() throws IOException {
        write("claude", "", ", \"egress\": {\"quietHosts\": [\"github.com\"]}");
        Policies policies = policies("claude");
        assertThrows(BrigException.class, () -> policies.find(null, withModels("claude", "claude")));
        writeRoute("claude", """
                {"secrets": {"BRIG_ROUTE_CLAUDE": {"file": "/keys/claude"}},
                 "modelRoutes": {"claude": {"baseUrl": "https://a.example", "secret": "BRIG_ROUTE_CLAUDE",
                 "header": "x-api-key"}}}
                """);
        Confinement may = policies.find(null, withModels("claude", "claude")).confinement();
        assertEquals(
                "https://a.example", may.egress().modelRoutes().get("claude").baseUrl());
        assertEquals(
                "/keys/claude", may.egress().secrets().get("BRIG_ROUTE_CLAUDE").file());
        assertEquals(List.of("github.com"), may.egress().quietHosts());
        assertTrue(may.variables().contains("BRIG_MODEL_URL_CLAUDE"), may.variables()::toString);
        assertTrue(
                policies.find(null, profile("claude"))
                        .confinement()
                        .egress()
                        .modelRoutes()
                        .isEmpty(),
                "who needs none gets none");
    }

    @Test
    void shouldNotLetARouteOutOfAnotherPolicyThatARequestChose() throws IOException {
        write("claude", "", "");
        write("review", "", "");
        writeRoute("claude", "{\"modelRoutes\": {\"claude\": {\"baseUrl\": \"https://a.example\"}}}");
        BrigException refusal = assertThrows(
                BrigException.class, () -> policies("review").find("review", withModels("claude", "claude")));
        assertEquals(ErrorCode.MODEL_ROUTE_MISSING, refusal.code());
        assertTrue(
                refusal.getMessage().contains("'review'")
                        && refusal.getMessage().contains("'claude'"),
                refusal.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"allowedHosts\": [\"*.example\"], \"modelRoutes\": {\"claude\": {\"baseUrl\": \"https://a.example\"}}}",
                "{\"modelRoutes\": {\"other\": {\"baseUrl\": \"https://a.example\"}}}",
                "{",
                "{\"modelRoutes\": {\"claude\": {\"baseUrl\": \"ftp://a\"}}}",
                "{\"secrets\": {\"OWN\": {\"file\": \"/x\"}}, \"modelRoutes\": {\"claude\": {\"baseUrl\": \"https://a.example\", \"secret\": \"OWN\"}}}"
            })
    void shouldRefuseARouteThatSaysMoreOrOtherThanARoute(String text) throws IOException {
        write("claude", "", ", \"egress\": {\"secrets\": {\"OWN\": {\"hosts\": [\"b.example\"]}}}");
        writeRoute("claude", text);
        BrigException refusal =
                assertThrows(BrigException.class, () -> policies().find(null, withModels("claude", "claude")));
        assertEquals(ErrorCode.INVALID_POLICY, refusal.code(), refusal.getMessage());
        assertTrue(refusal.getMessage().contains("claude.json"), refusal.getMessage());
    }

    @Test
    void shouldWriteAHostIntoTheFileAndRefuseWhatItCannotChange() throws IOException {
        write("web", "", ", \"egress\": {\"askMs\": 5}");
        Path file = files.resolve("web.json");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        Policies policies = policies("web");
        assertEquals(file.toRealPath(), policies.allow("web", "a.example:8443"));
        policies.allow("web", "b.example");
        policies.allow("web", "b.example");
        assertEquals(
                List.of("b.example", "a.example:8443"),
                policies.find("web", profile("web")).confinement().egress().allowedHosts());
        assertEquals("rw-r-----", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        assertTrue(Files.readString(file).startsWith("// A comment."));
        write("none", "", "");
        String before = Files.readString(files.resolve("none.json"));
        BrigException refusal = assertThrows(BrigException.class, () -> policies.allow("none", "a.example"));
        assertEquals(ErrorCode.INVALID_POLICY, refusal.code());
        assertTrue(refusal.getMessage().contains("none.json")
                && refusal.getMessage().contains("worker.policyDirs"));
        assertEquals(before, Files.readString(files.resolve("none.json")));
        assertThrows(BrigException.class, () -> policies.allow("web", "a\", \"*.example"));
        assertThrows(BrigException.class, () -> policies.allow("absent", "a.example"));
        try (Stream<Path> all = Files.list(files)) {
            assertEquals(2, all.count(), "nothing is left beside them");
        }
    }

    @Test
    void shouldReadTheBudgetOfAPolicyAndRefuseWhatIsNone() throws IOException {
        write("dear", "", ", \"budget\": {\"usd\": 2.5, \"onLimit\": \"ask\"}");
        assertEquals(
                Budget.parse("budget", "2.5usd,ask"),
                policies("dear").find("dear", profile("dear")).policy().budget());
        for (String bad : List.of(
                "[]",
                "{\"usd\": 0}",
                "{\"usd\": 1000001}",
                "{\"tokens\": -1}",
                "{\"wallMs\": 999}",
                "{\"spawns\": 100001}",
                "{\"onLimit\": \"\"}",
                "{\"limit\": 5}")) {
            write("bad", "", ", \"budget\": " + bad);
            BrigException refusal =
                    assertThrows(BrigException.class, () -> policies("bad").find("bad", profile("bad")), bad);
            assertEquals(ErrorCode.INVALID_POLICY, refusal.code());
            assertTrue(
                    refusal.getMessage().contains("bad.json")
                            && refusal.getMessage().contains("budget"),
                    refusal.getMessage());
        }
    }

    private static String mount(String target, Object host, boolean readOnly) {
        return ", \"%s\": {\"hostPath\": \"%s\", \"readonly\": %s}".formatted(target, host, readOnly);
    }

    private String faultOf(String name, ErrorCode code) {
        BrigException e = assertThrows(BrigException.class, () -> policies().find(null, profile(name)));
        assertEquals(code, e.code(), e.getMessage());
        return e.getMessage();
    }

    private void assertRefused(String mounts, String why) throws IOException {
        write("bad", mounts, "");
        write("good", "", "");
        String fault = faultOf("bad", ErrorCode.INVALID_POLICY);
        assertTrue(fault.contains("bad.json: mounts."), fault);
        assertTrue(fault.contains(why), fault);
        policies().find(null, profile("good"));
    }

    @Test
    void shouldTakeWhatTheFileSaysWhenItIsGood() throws Exception {
        Path shared = Files.createDirectory(base.resolve("cache"));
        write("p", mount("/opt/tools", host, true) + mount("/srv/cache", shared, false), ", \"pidsMax\": 9");
        Policies.Named found = policies().find(null, profile("p"));
        assertEquals(
                List.of(
                        new Confinement.Mount(host.toRealPath(), Path.of("/opt/tools"), true),
                        new Confinement.Mount(shared.toRealPath(), Path.of("/srv/cache"), false)),
                found.confinement().mounts());
        assertEquals(Set.of("PATH"), found.confinement().variables());
        assertEquals(9, found.confinement().limits().pidsMax());
        assertFalse(found.confinement().workspaceReadOnly());
        assertFalse(found.confinement().nested());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/              | must be an absolute path",
                "/opt/../etc | must be an absolute path",
                "opt            | must be an absolute path",
                "/opt//x     | must be an absolute path",
                "/proc          | wall's own /proc",
                "/sys/fs         | wall's own /sys",
                "/dev/x | wall's own /dev",
                "/etc/ssl       | wall's own /etc",
                "/root            | wall's own /root",
                "/home  | wall's own /home",
                "/home/worker   | wall's own /home",
                "/run/x          | wall's own /run",
                "/tmp/x | wall's own /tmp",
                "/usr/local     | wall's own /usr",
                "/var             | wall's own /var/run",
                "/workspace/sub | wall's own /workspace"
            })
    void shouldNameFileAndKeyWhenTargetIsRefused(String target, String why) throws Exception {
        assertRefused(mount(target, host, true), why);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/     | must be an absolute path",
                "/usr/../etc | must be an absolute path",
                ". | goes with /workspace",
                "/proc/self | lies in /proc",
                "/sys    | is /sys",
                "/var | holds /var/run",
                "/dev/null | lies in /dev",
                "/etc/ssl | lies in /etc",
                "/root | is /root",
                "/home | is /home",
                "/var/run | is /var/run",
                "/run | is /run",
                "/no/such/folder | does not exist"
            })
    void shouldNameFileAndKeyWhenHostPathIsRefused(String path, String why) throws Exception {
        assertRefused(mount("/opt/tools", path, true), why);
    }

    @Test
    void shouldRefuseHomeAndBrigsOwnFoldersAndWhatHoldsThem() throws Exception {
        assertRefused(mount("/opt/tools", folder.resolve("ann"), true), "is /");
        assertRefused(mount("/opt/tools", folder.resolve("ann/secrets"), true), "lies in");
        assertRefused(mount("/opt/tools", folder.resolve("state"), true), "is /");
        assertRefused(mount("/opt/tools", folder.resolve("state/streams"), true), "lies in");
        assertRefused(mount("/opt/tools", folder, true), "holds");
        assertRefused(mount("/opt/tools", base, true), "lies in");
    }

    @Test
    void shouldRefuseLinkWhenItLeadsIntoARefusedPlace() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("/etc/ssl"));
        assertRefused(mount("/opt/tools", link, true), "/etc/ssl lies in /etc");
        Path above = Files.createSymbolicLink(folder.resolve("above"), folder.resolve("ann"));
        assertRefused(mount("/opt/tools", above.resolve("secrets"), true), "lies in");
    }

    @Test
    void shouldRefuseWritableWhenItIsNotBelowABase() throws Exception {
        assertRefused(mount("/opt/tools", host, false), "mounts./opt/tools.readonly: must be true");
    }

    @Test
    void shouldRefuseSocketOfAContainerEngineAndAFolderThatHoldsOne() throws Exception {
        Path deep = Files.createDirectories(host.resolve("a/b"));
        Path socket = deep.resolve("docker.sock");
        try (ServerSocketChannel engine = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            engine.bind(UnixDomainSocketAddress.of(socket));
            assertRefused(mount("/opt/tools", socket, true), "is neither a folder nor a file");
            assertRefused(mount("/opt/tools", host, true), "docker.sock, which is root");
        }
    }

    @Test
    void shouldRefuseWhatAWorkerCouldReplaceByALink() throws Exception {
        Path task = Files.createDirectory(base.resolve("task"));
        Path sub = Files.createDirectory(task.resolve("sub"));
        assertRefused(mount("/srv/a", task, false) + mount("/srv/b", sub, true), "which is writable");
        Files.setAttribute(task, "unix:uid", WORKER_UID);
        assertRefused(mount("/opt/tools", sub, true), "which belongs to a worker");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                ", 'colour': 1          | 'colour' is not known here",
                        ", 'pidsMax': 'many' | 'pidsMax' must be a whole number",
                ", 'pidsMax': 3         | 'pidsMax' must be 0, or from 4",
                        ", 'wallClockMs': -1 | 'wallClockMs' must be 0",
                ", 'nested': 1          | 'nested' must be true or false", ", 'idleMs': 999      | 'idleMs' must be 0"
            })
    void shouldNameFileAndKeyWhenValueIsWrong(String more, String why) throws Exception {
        write("bad", "", more.replace('\'', '"'));
        String fault = faultOf("bad", ErrorCode.INVALID_POLICY);
        assertTrue(fault.contains("bad.json: ") && fault.contains(why), fault);
    }

    @Test
    void shouldRefuseWhenWorkspaceIsMissingOrElsewhere() throws Exception {
        Files.writeString(
                files.resolve("none.json"),
                "{\"description\": \"\", \"mounts\": {}, \"environment\": [], \"privateFiles\": []}");
        assertTrue(faultOf("none", ErrorCode.INVALID_POLICY).contains("mounts: must have /workspace"));
        Files.writeString(
                files.resolve("other.json"),
                "{\"description\": \"\", \"mounts\": "
                        + "{\"/workspace\": {\"hostPath\": \"/opt\", \"readonly\": true}}, \"environment\": [], \"privateFiles\": []}");
        assertTrue(faultOf("other", ErrorCode.INVALID_POLICY).contains("mounts./workspace.hostPath"));
    }

    @Test
    void shouldLetARequestChooseOnlyWhatTheOperatorAllows() throws Exception {
        write("own", "", "");
        write("free", "", "");
        write("closed", "", "");
        Policies policies = policies("free", "missing");
        assertEquals("own", policies.find("own", profile("own")).name());
        assertEquals("free", policies.find("free", profile("own")).name());
        for (String name : List.of("closed", "missing", "../own")) {
            BrigException e = assertThrows(BrigException.class, () -> policies.find(name, profile("own")));
            assertEquals(ErrorCode.UNKNOWN_POLICY, e.code());
        }
        assertEquals(
                List.of("free"),
                policies.usable().stream().map(Policies.Named::name).toList());
    }

    @Test
    void shouldLookAtTheHostAgainWhenItChanges() throws Exception {
        Path late = folder.resolve("late");
        write("p", mount("/opt/tools", late, true), "");
        Policies policies = policies();
        AgentProfile profile = profile("p");
        assertThrows(BrigException.class, () -> policies.find(null, profile));
        Files.createDirectory(late);
        policies.find(null, profile);
        Files.delete(late);
        Files.createSymbolicLink(late, Path.of("/etc"));
        assertThrows(BrigException.class, () -> policies.find(null, profile));
    }

    private static String faults(String json) throws IOException {
        JsonSchema schema = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                .getSchema(Files.readString(SHIPPED.resolve("policy.schema.json")));
        return schema.validate(json, InputFormat.JSON).toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"review", "build", "nested"})
    void shouldShipFilesThatLoadAndAreValidAgainstTheSchema(String name) throws Exception {
        Policies shipped = new Policies(
                List.of(SHIPPED),
                new MountRules(List.of(), List.of(), List.of(), -1),
                List.of(),
                new ModelRoutes(folder.resolve("routes")));
        Policies.Named found = shipped.find(null, profile(name));
        assertEquals(name.equals("review"), found.confinement().workspaceReadOnly());
        assertEquals(name.equals("nested"), found.confinement().nested());
        Map<String, Object> values = Json.parseCommented(Files.readString(SHIPPED.resolve(name + ".json")));
        assertEquals("[]", faults(new String(Json.write(values), StandardCharsets.UTF_8)));
        for (var component : Policy.class.getRecordComponents()) {
            assertTrue(values.containsKey(component.getName()), component.getName());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'mounts':{},'privateFiles':[],'environment':[]}",
                "{'description':'','mounts':{},'privateFiles':[],'environment':[]}",
                "{'description':'','mounts':{'/workspace':{'hostPath':'/x','readonly':true}},'privateFiles':[],'environment':[]}",
                "{'description':'','mounts':{'/workspace':{'hostPath':'.','readonly':true},"
                        + "'/x':{'hostPath':'.','readonly':true}},'privateFiles':[],'environment':[]}",
                "{'description':'','mounts':{'/workspace':{'hostPath':'.'}},'privateFiles':[],'environment':[]}",
                "{'description':'','mounts':{'/workspace':{'hostPath':'.','readonly':true}},'privateFiles':[],'environment':['A=B']}",
                "{'description':'','mounts':{'/workspace':{'hostPath':'.','readonly':true}},'privateFiles':[],'environment':[],'x':1}",
                "{'description':'','mounts':{'/workspace':{'hostPath':'.','readonly':true}},'privateFiles':[],'environment':[],'pidsMax':1}"
            })
    void shouldBeRefusedByTheSchemaToo(String json) throws Exception {
        assertFalse(faults(json.replace('\'', '"')).equals("[]"));
    }

    private Policy.Project project(String policy, String request) {
        Map<String, Object> values = new LinkedHashMap<>(Map.of("agent_config", Map.of("name", "a")));
        for (String pair : request.isEmpty() ? new String[0] : request.split(" ", -1)) {
            values.put(pair.split("=", 2)[0], pair.split("=", 2)[1]);
        }
        return policies(policy)
                .find(policy, profile(policy))
                .policy()
                .projectIn(folder, JsonObject.of(values).as(SpawnRequest.class));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "loose | root=oci:x | DISCARD | 0",
                "loose | root=oci:x root_overlay=none | NONE | 0",
                "loose | root=oci:x root_overlay=keep | KEEP | 0",
                "loose | root=host | NONE | 1",
                "loose | '' | NONE | 1",
                "silent | root=oci:x | NONE | 1"
            })
    void shouldHonourRootOverlayOfProjectWithinPolicy(String policy, String request, RootOverlay overlay, int notices)
            throws IOException {
        write("loose", "", ", \"rootOverlay\": \"discard\"");
        write("silent", "", "");
        assertEquals(RootOverlay.NONE, project(policy, "root=oci:x").overlay());
        Files.writeString(folder.resolve("gondolin.json"), "{\"rootOverlay\": true}");
        Policy.Project project = project(policy, request);
        assertEquals(overlay, project.overlay());
        assertEquals(notices, project.notices().size(), project.notices()::toString);
    }
}
