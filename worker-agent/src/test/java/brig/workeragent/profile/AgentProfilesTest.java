package brig.workeragent.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.SpawnRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentProfilesTest {
    @TempDir
    Path folder;

    private void write(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text);
    }

    private static String fault(AgentProfiles profiles, String name) {
        BrigException e = assertThrows(BrigException.class, () -> profiles.find(name));
        assertEquals(ErrorCode.UNKNOWN_AGENT, e.code());
        return e.getMessage();
    }

    @Test
    void shouldReplaceWholeArgumentsOnlyWhenCommandIsMade() throws Exception {
        write("a.json", """
                {"description": "d", "command": ["p", "{message}", "x{message}", "{model}", "{systemPrompt}", "{tools}"]}
                """);
        AgentProfile profile = new AgentProfiles(List.of(folder)).find("a");
        SpawnRequest full = new SpawnRequest(null, null, "a", "m", List.of("t1", "t2"), "s", null, false);
        assertEquals(List.of("p", "hi {model}", "x{message}", "m", "s", "t1,t2"), profile.commandFor(full, "hi {model}", null));
        SpawnRequest bare = new SpawnRequest(null, null, "a", null, List.of(), null, null, false);
        assertEquals(List.of("p", "", "x{message}", "", "", ""), profile.commandFor(bare, "", null));
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
        assertEquals(List.of("good"), profiles.usable().stream().map(AgentProfiles.Named::name).toList());
        assertTrue(fault(profiles, "key").contains("key.json: unknown key 'colour'"));
        assertTrue(fault(profiles, "process").contains("process.json: process: must be one of"));
        assertTrue(fault(profiles, "empty").contains("empty.json: command: "));
        assertTrue(fault(profiles, "adapter").contains("adapter: "));
        assertTrue(fault(profiles, "env").contains("env: "));
        assertTrue(fault(profiles, "json").contains("malformed JSON"));
        assertTrue(fault(profiles, "nobody").contains("[adapter, empty, env, good, json, key, process]"));
    }

    @Test
    void shouldReadAgainWhenFileChanges() throws Exception {
        write("a.json", "{\"description\": \"one\", \"command\": [\"p\"]}");
        AgentProfiles profiles = new AgentProfiles(List.of(folder));
        assertEquals("one", profiles.find("a").description());
        write("a.json", "{\"description\": \"two\", \"command\": [\"p\"]}");
        Files.setLastModifiedTime(folder.resolve("a.json"), FileTime.fromMillis(1));
        assertEquals("two", profiles.find("a").description());
        Files.delete(folder.resolve("a.json"));
        fault(profiles, "a");
    }

    @Test
    void shouldTakeLaterFolderWhenBothHaveTheName() throws Exception {
        Path later = Files.createDirectory(folder.resolve("later"));
        write("a.json", "{\"description\": \"early\", \"command\": [\"p\"]}");
        Files.writeString(later.resolve("a.json"), "{\"description\": \"late\", \"command\": [\"p\"]}");
        AgentProfiles profiles = new AgentProfiles(List.of(folder, later, folder.resolve("missing")));
        assertEquals("late", profiles.find("a").description());
    }
}
