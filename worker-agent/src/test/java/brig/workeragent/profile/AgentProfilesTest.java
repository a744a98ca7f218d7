package brig.workeragent.profile;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.Budget;
import brig.protocol.spawn.PermissionMode;
import brig.protocol.spawn.SpawnRequest;
import brig.workeragent.wall.Confinement;
import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AgentProfilesTest {
    @TempDir
    Path folder;

    private void write(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text);
    }

    private static String fault(AgentProfiles profiles, String name) {
        BrigException e =
                assertThrows(BrigException.class, () -> profiles.named(name).profile());
        assertEquals(ErrorCode.UNKNOWN_AGENT, e.code());
        return e.getMessage();
    }

    @Test
    void shouldReplaceWholeArgumentsOnlyWhenCommandIsMade() throws Exception {
        write("a.json", """
                {"description": "d", "command": ["p", "{message}", "x{message}", "{model}", "{systemPrompt}", "{tools}"]}
                """);
        AgentProfile profile = new AgentProfiles(List.of(folder)).named("a").profile();
        SpawnRequest full = new SpawnRequest(
                null, null, new SpawnRequest.AgentConfig("a", "m", List.of("t1", "t2"), "s"), null, false);
        assertEquals(
                List.of("p", "hi {model}", "x{message}", "m", "s", "t1,t2"),
                profile.commandFor(full, "hi {model}", null, null));
        SpawnRequest bare =
                new SpawnRequest(null, null, new SpawnRequest.AgentConfig("a", null, List.of(), null), null, false);
        assertEquals(List.of("p", "", "x{message}", "", "", ""), profile.commandFor(bare, "", null, null));
    }

    @Test
    void shouldAskWhetherASimilarNameIsMeant() throws Exception {
        write("claude.json", "{\"description\": \"d\", \"command\": [\"p\"]}");
        write("codex.json", "{\"description\": \"d\", \"command\": [\"p\"]}");
        AgentProfiles profiles = new AgentProfiles(List.of(folder));
        for (String slip : List.of("cluade", "claud", "clauude", "clande")) {
            assertTrue(
                    fault(profiles, slip).startsWith("no agent profile '" + slip + "'; did you mean 'claude'?"),
                    fault(profiles, slip));
        }
        assertTrue(fault(profiles, "nothing").startsWith("no agent profile 'nothing'; there are"));
        assertTrue(fault(profiles, "c".repeat(10_000)).contains("'; there are"));
    }

    @Test
    void shouldNameFileAndKeyWhenProfileIsBad() throws Exception {
        write("good.json", "{\"description\": \"d\", \"command\": [\"p\"]}");
        write("key.json", "{\"description\": \"d\", \"command\": [\"p\"], \"colour\": 1}");
        write("process.json", "{\"description\": \"d\", \"command\": [\"p\"], \"process\": \"often\"}");
        write("empty.json", "{\"description\": \"d\", \"command\": []}");
        write("adapter.json", "{\"description\": \"d\", \"command\": [\"p\"], \"adapter\": \"magic\"}");
        write("env.json", "{\"description\": \"d\", \"command\": [\"p\"], \"env\": {\"A=B\": \"1\"}}");
        write("json.json", "{");
        AgentProfiles profiles = new AgentProfiles(List.of(folder));
        assertEquals(
                List.of("good"),
                profiles.usable().stream().map(AgentProfiles.Named::name).toList());
        assertTrue(fault(profiles, "key").contains("key.json: field 'colour' is not known here"));
        assertTrue(fault(profiles, "process").contains("process.json: process: must be one of"));
        assertTrue(fault(profiles, "empty").contains("empty.json: command: "));
        assertTrue(fault(profiles, "adapter").contains("adapter: "));
        assertTrue(fault(profiles, "env").contains("env: "));
        assertTrue(fault(profiles, "json").contains("malformed JSON"));
        assertTrue(fault(profiles, "nobody").contains("[adapter, empty, env, good, json, key, process]"));
    }

    private static String withRules(String adapter, String rules) {
        return "{\"description\": \"d\", \"command\": [\"p\"], \"adapter\": \"" + adapter
                + "\", \"process\": \"spawn\", \"stdin\": \"lines\", \"rules\": " + rules + "}";
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            claude   | [{"tool": "Bash"}]                                       | rules[0].do' is missing
            claude   | [{"do": "allow"}]                                        | rules[0].tool' is missing
            claude   | [{"tool": "*", "do": "ask"}, {"tool": "*", "do": "may"}] | rules[1].do' must be allow, ask or deny
            claude   | [{"tool": "Bash", "match": "", "do": "allow"}]           | rules[0].match: must have 1 to 256 characters
            claude   | [{"tool": "", "do": "allow"}]                            | rules[0].tool: must have 1 to 256 characters
            claude   | [{"tool": "Bash", "matches": "ls", "do": "allow"}]       | rules[0].matches' is not known here
            claude   | {"tool": "Bash", "do": "allow"}                          | rules' must be
            text     | [{"tool": "Bash", "do": "allow"}]                        | rules: the agents of the adapter 'text' do not ask
            cassette | [{"tool": "Bash", "do": "allow"}]                        | rules: the agents of the adapter 'cassette' do not ask
            """, quoteCharacter = '~')
    void shouldNotUseAProfileWithARuleThatDoesNotParse(String adapter, String rules, String fault) throws Exception {
        write("a.json", withRules(adapter, rules));
        String told = fault(new AgentProfiles(List.of(folder)), "a");
        assertTrue(told.contains("a.json: ") && told.contains(fault), told);
    }

    @Test
    void shouldBoundTheNumberOfRules() throws Exception {
        write(
                "a.json",
                withRules(
                        "claude",
                        Collections.nCopies(65, "{\"tool\": \"*\", \"do\": \"ask\"}")
                                .toString()));
        assertTrue(fault(new AgentProfiles(List.of(folder)), "a").contains("rules: must be at most 64"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            "5usd"                      | budget' must be an object
            {"usd": 0}                  | budget.usd
            {"usd": -5}                 | budget.usd
            {"usd": 1e999}              | too large
            {"usd": "5"}                | budget.usd' must be a number
            {"tokens": 0}               | budget.tokens' must be
            {"tokens": 1.5}             | budget.tokens' must be
            {"wallMs": 1}               | budget.wall_ms' must be
            {"wall": 60000}             | budget.wall' is not known here
            {"egressBytes": 1e30}       | budget.egress_bytes' must be
            {"spawns": -1}              | budget.spawns' must be
            {"onLimit": "cancel"}       | budget.on_limit' must be refuse, ask or end
            {"usd": 5, "currency": "€"} | budget.currency' is not known here
            """)
    void shouldNotUseAProfileWithABudgetThatIsNone(String budget, String fault) throws Exception {
        write("a.json", "{\"description\": \"d\", \"command\": [\"p\"], \"budget\": " + budget + "}");
        String told = fault(new AgentProfiles(List.of(folder)), "a");
        assertTrue(told.contains("a.json: ") && told.contains(fault), told);
    }

    @Test
    void shouldReadTheBudgetOfAProfile() throws Exception {
        write("a.json", """
                {"description": "d", "command": ["p"],
                 "budget": {"usd": 5, "tokens": 9, "wallMs": 60000, "egressBytes": 7, "spawns": 0, "onLimit": "end"}}""");
        assertEquals(
                Budget.parse("budget", "5usd,9tokens,1min,7bytes,0spawns,end"),
                new AgentProfiles(List.of(folder)).named("a").profile().budget());
    }

    @Test
    void shouldStartTheAgentSoThatItAsksWhereThereAreRules() throws Exception {
        write("a.json", """
                {"description": "d", "command": ["p"], "adapter": "claude", "process": "spawn", "stdin": "lines",
                 "rules": [{"tool": "Bash", "match": "git *", "do": "allow"}], "env": {"P": "{permissions}"},
                 "arguments": {"permissions.allow": ["-all"], "permissions.ask": ["-ask"], "permissions.deny": ["-no"]}}""");
        AgentProfile profile = new AgentProfiles(List.of(folder)).named("a").profile();
        SpawnRequest request = asking(null, List.of(), null);
        assertEquals(List.of("p", "-ask"), profile.commandFor(request, "", null, null));
        assertEquals(Map.of("P", "ask"), profile.environment(request));
        Object git = JsonObject.EMPTY.with("command", "git status");
        assertEquals(PermissionMode.ALLOW, profile.permissionsFor(request).decide("Bash", git));
        SpawnRequest narrowed = new SpawnRequest(
                null, null, new SpawnRequest.AgentConfig("a", null, List.of(), null, PermissionMode.DENY), null, false);
        assertEquals(PermissionMode.DENY, profile.permissionsFor(narrowed).decide("Bash", git));
        assertEquals(List.of("p", "-no"), profile.commandFor(narrowed, "", null, null));
    }

    @Test
    void shouldReadAgainWhenFileChanges() throws Exception {
        write("a.json", "{\"description\": \"one\", \"command\": [\"p\"]}");
        AgentProfiles profiles = new AgentProfiles(List.of(folder));
        assertEquals("one", profiles.named("a").profile().description());
        write("a.json", "{\"description\": \"two\", \"command\": [\"p\"]}");
        Files.setLastModifiedTime(folder.resolve("a.json"), FileTime.fromMillis(1));
        assertEquals("two", profiles.named("a").profile().description());
        Files.delete(folder.resolve("a.json"));
        fault(profiles, "a");
    }

    @Test
    void shouldTakeLaterFolderWhenBothHaveTheName() throws Exception {
        Path later = Files.createDirectory(folder.resolve("later"));
        write("a.json", "{\"description\": \"early\", \"command\": [\"p\"]}");
        Files.writeString(later.resolve("a.json"), "{\"description\": \"late\", \"command\": [\"p\"]}");
        AgentProfiles profiles = new AgentProfiles(List.of(folder, later, folder.resolve("missing")));
        assertEquals("late", profiles.named("a").profile().description());
    }

    @Test
    void shouldBeUsableAndAsTheSchemaSaysWhenAProfileShips() throws Exception {
        Path shipped = Path.of("../config/agents");
        JsonSchema schema = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                .getSchema(Files.readString(shipped.resolve("agent.schema.json")));
        List<String> names = new AgentProfiles(List.of(shipped))
                .usable().stream().map(AgentProfiles.Named::name).toList();
        assertEquals(
                List.of("claude", "codex", "codex-exec", "demo-writer", "mock", "opencode", "replay", "shell"), names);
        for (String name : names) {
            byte[] json = Json.write(Json.parseCommented(Files.readString(shipped.resolve(name + ".json"))));
            assertEquals(Set.of(), schema.validate(new String(json, UTF_8), InputFormat.JSON), name);
        }
    }

    @Test
    void shouldFindTheProgramOfAPackageAndSayHowToInstallItWhenThereIsNone() throws Exception {
        write("a.json", """
                {"description": "d", "command": ["{program}", "{models.m}/v1"], "models": ["m"],
                "install": {"npm": "@x/a@1.2.3", "programs": ["@x/none/bin/a", "@x/a/bin/a"]}}
                """);
        AgentProfiles.Named agent = new AgentProfiles(List.of(folder)).named("a");
        Path modules = Files.createDirectories(folder.resolve("lib/node_modules"));
        Programs programs = new Programs(
                new ProgramPlaces(Map.of("NODE_PATH", folder.resolve("missing") + ":" + modules, "HOME", "/nowhere")),
                folder,
                path -> null);
        BrigException absent = assertThrows(BrigException.class, () -> programs.find(agent));
        assertEquals(ErrorCode.COMMAND_NOT_FOUND, absent.code());
        assertTrue(absent.getMessage().contains("npm install -g --include=optional @x/a@1.2.3"), absent.getMessage());
        Files.createDirectories(modules.resolve("@x/a/bin"));
        Files.writeString(modules.resolve("@x/a/package.json"), "{\"version\": \"1.2.4\"}");
        Files.createFile(
                modules.resolve("@x/a/bin/a"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        Programs.Found found = programs.find(agent);
        assertEquals("/opt/brig/program/bin/a", found.program());
        assertEquals(
                List.of(modules.resolve("@x/a").toRealPath()),
                found.mounts().stream().map(Confinement.Mount::hostPath).toList());
        assertTrue(found.mounts().getFirst().readOnly());
        Policies none = new Policies(
                List.of(),
                new MountRules(List.of(), List.of(), List.of(), -1),
                List.of(),
                new ModelRoutes(folder.resolve("routes")));
        assertTrue(programs.findings(new AgentProfiles(List.of(folder)), none)
                .getFirst()
                .detail()
                .startsWith("version 1.2.4; tried was 1.2.3, "
                        + modules.resolve("@x/a").toRealPath()));
        SpawnRequest request =
                new SpawnRequest(null, null, new SpawnRequest.AgentConfig("a", null, List.of(), null), null, false);
        assertEquals(
                List.of("/opt/brig/program/bin/a", "http://127.0.0.1:3129/m/v1"),
                agent.profile().commandFor(request, "", found.program(), null));
    }

    @Test
    void shouldMountTheFolderOfTheProfilesNameWhenThereIsOne() throws Exception {
        write("a.json", "{\"description\": \"d\", \"command\": [\"p\"]}");
        Files.createDirectory(folder.resolve("a"));
        Programs.Found found = new Programs(new ProgramPlaces(Map.of()), folder, path -> null)
                .find(new AgentProfiles(List.of(folder)).named("a"));
        assertEquals(List.of(new Confinement.Mount(folder.resolve("a"), Programs.FILES, true)), found.mounts());
    }

    private static SpawnRequest asking(@Nullable String model, List<String> tools, @Nullable String systemPrompt) {
        return new SpawnRequest(null, null, new SpawnRequest.AgentConfig("a", model, tools, systemPrompt), null, false);
    }

    private static void assertRefused(String field, AgentProfiles profiles, SpawnRequest request) {
        BrigException e =
                assertThrows(BrigException.class, () -> profiles.named("a").told(request), field);
        assertEquals(ErrorCode.INVALID_FIELD, e.code());
        assertTrue(e.getMessage().startsWith("field '" + field + "'"), e.getMessage());
    }

    @Test
    void shouldRefuseByNameWhatTheAgentCannotBeTold() throws Exception {
        write("a.json", "{\"description\": \"d\", \"command\": [\"p\"]}");
        AgentProfiles profiles = new AgentProfiles(List.of(folder));
        assertRefused("model", profiles, asking("m", List.of(), null));
        assertRefused("tools", profiles, asking(null, List.of("read"), null));
        assertRefused("system_prompt", profiles, asking(null, List.of(), "s"));
        assertEquals(asking(null, List.of(), null), profiles.named("a").told(asking(null, List.of(), null)));
        write(
                "a.json",
                "{\"description\": \"dd\", \"command\": [\"p\"], \"arguments\": {\"systemPrompt\": [\"{systemPrompt}\"]}}");
        Files.setLastModifiedTime(folder.resolve("a.json"), FileTime.fromMillis(1));
        profiles.named("a").told(asking(null, List.of(), "x".repeat(128 * 1024 - 1)));
        assertRefused("system_prompt", profiles, asking(null, List.of(), "x".repeat(128 * 1024)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--resume", "a b", "m\"}", "m\n", "{models.m}", "\u00e9"})
    void shouldTakeNoModelThatCouldMeanMoreThanAName(String model) throws Exception {
        write(
                "a.json",
                "{\"description\": \"d\", \"command\": [\"p\"], \"env\": {\"C\": \"{\\\"m\\\":\\\"{model}\\\"}\"}}");
        assertRefused("model", new AgentProfiles(List.of(folder)), asking(model, List.of(), null));
    }

    @Test
    void shouldTellTheModelOfTheRequestOrTheOperatorsOrTheProfiles() throws Exception {
        write(
                "a.json",
                "{\"description\": \"d\", \"command\": [\"p\"], \"env\": {\"C\": \"{model} {tools} {permissions}\"}}");
        AgentProfiles bare = new AgentProfiles(List.of(folder));
        assertRefused("model", bare, asking(null, List.of(), null));
        AgentProfiles chosen =
                new AgentProfiles(List.of(folder), new AgentProfiles.Names("", Map.of(), Map.of("a", "org/m:1")));
        AgentProfiles.Named agent = chosen.named("a");
        assertEquals(
                Map.of("C", "org/m:1  allow"), agent.profile().environment(agent.told(asking(null, List.of(), null))));
        assertEquals(
                Map.of("C", "n t allow"), agent.profile().environment(agent.told(asking("n", List.of("t"), null))));
        write(
                "b.json",
                "{\"description\": \"d\", \"command\": [\"p\"], \"arguments\": {\"model\": [\"-m\", \"{model}\"]},"
                        + "\"defaultModel\": \"usual\"}");
        AgentProfiles.Named second = bare.named("b");
        SpawnRequest told = second.told(asking(null, List.of(), null));
        assertEquals(List.of("p", "-m", "usual"), second.profile().commandFor(told, "", null, null));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "claude | read,Bash,task | Read,Bash,Task | -p --tools Read,Bash,Task",
                "codex | bash,read,task | shell,agents | -p -m=true -x=false",
                "codex | bash | shell | -p -m=false -x=false",
                "opencode | read,write,edit | read,edit | -p --tools read,edit"
            })
    void shouldTellEachAgentItsOwnNamesOfTools(String adapter, String asked, String told, String command)
            throws Exception {
        write("a.json", """
                {"description": "d", "command": ["-p"], "adapter": "%s", "process": "spawn", "stdin": "lines",
                "arguments": {"tools": %s}}""".formatted(
                        adapter,
                        adapter.equals("codex")
                                ? "[\"-m={tools.agents}\", \"-x={tools.none}\"]"
                                : "[\"--tools\", \"{tools}\"]"));
        AgentProfiles profiles = new AgentProfiles(List.of(folder));
        SpawnRequest request = profiles.named("a").told(asking(null, List.of(asked.split(",")), null));
        assertEquals(List.of(told.split(",")), request.tools());
        assertEquals(List.of(command.split(" ")), profiles.named("a").profile().commandFor(request, "", null, null));
    }

    @ParameterizedTest
    @CsvSource({
        "claude, list",
        "codex, read",
        "codex, task",
        "codex, webfetch",
        "opencode, notebook",
        "opencode, ''",
        "acp, 'a b'"
    })
    void shouldRefuseToolsThatTheAgentHasNotOrCannotBeWithout(String adapter, String tool) throws Exception {
        write("a.json", """
                {"description": "d", "command": ["p"], "adapter": "%s", "process": "spawn", "stdin": "lines",
                "arguments": {"tools": ["{tools}"]}}""".formatted(adapter));
        assertRefused("tools", new AgentProfiles(List.of(folder)), asking(null, List.of(tool), null));
    }

    @Test
    void shouldFindTheProfileThatAnotherNameStandsFor() throws Exception {
        write("a.json", "{\"description\": \"a\", \"command\": [\"p\"]}");
        write("b.json", "{\"description\": \"b\", \"command\": [\"p\"]}");
        assertTrue(fault(new AgentProfiles(List.of(folder)), "code-reviewer").contains("worker.defaultAgent"));
        AgentProfiles profiles = new AgentProfiles(
                List.of(folder),
                new AgentProfiles.Names("a", Map.of("tester", "b", "lost", "nowhere", "b", "a"), Map.of()));
        assertEquals("a", profiles.named("code-reviewer").name());
        assertEquals("b", profiles.named("tester").name());
        assertEquals("b", profiles.named("b").name(), "a profile's own name is its own");
        assertTrue(fault(profiles, "lost").contains("'nowhere'"));
    }

    @Test
    void shouldOfferAgentsAsModelsAndNoOtherPrograms() {
        List<String> models = new AgentProfiles(List.of(Path.of("../config/agents")))
                .usable().stream()
                        .filter(agent -> agent.profile().isModel())
                        .map(AgentProfiles.Named::name)
                        .toList();
        assertEquals(List.of("claude", "codex", "opencode"), models);
    }

    @Test
    void shouldAddTheSessionWhenOneIsToBeGoneOnWith() throws Exception {
        write("a.json", "{\"description\": \"d\", \"command\": [\"p\"], \"resume\": [\"--resume\", \"{session}\"]}");
        AgentProfile profile = new AgentProfiles(List.of(folder)).named("a").profile();
        SpawnRequest bare =
                new SpawnRequest(null, null, new SpawnRequest.AgentConfig("a", null, List.of(), null), null, false);
        assertEquals(List.of("p"), profile.commandFor(bare, "", null, null));
        SpawnRequest again = Json.read(
                "{\"agent_config\":{\"name\":\"a\"},\"resume\":\"ses_1\"}".getBytes(UTF_8), SpawnRequest.class);
        assertEquals(List.of("p", "--resume", "ses_1"), profile.commandFor(again, "", null, null));
    }
}
