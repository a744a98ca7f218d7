package brig.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class McpSettingTest {
    private static final List<String> COMMAND = List.of("/opt/brig/bin/brig", "mcp");
    private static final List<String> MOVED = List.of("/usr/bin/brig", "--config", "/etc/\"b\".json", "mcp");

    @TempDir
    private Path folder;

    private Path file(String content) throws IOException {
        return Files.writeString(folder.resolve("settings"), content);
    }

    private static McpSetting.Made add(McpClient client, Path file, List<String> command) {
        McpSetting setting = McpSetting.open(client, file);
        McpSetting.Made made = setting.add(command);
        setting.write(new McpSetting.Made(false, false));
        return made;
    }

    private static void remove(McpClient client, Path file, McpSetting.Made made) {
        McpSetting setting = McpSetting.open(client, file);
        assertTrue(setting.remove(COMMAND, made));
        setting.write(made);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CLAUDE|'{\n  \"oauthAccount\": {\"token\":   \"t\"},\n  \"n\": 1\n}\n'",
                "CLAUDE|'{\"mcpServers\": {}}'",
                "CURSOR|'{\n    \"mcpServers\": {\n        \"other\": {\"command\": \"x\"}\n    }\n}'",
                "OPENCODE|'{\n  // mine\n  \"theme\": \"dark\", /* here */\n}\n'",
                "CODEX|'model = \"o\"'",
                "CODEX|'# mine\n\n[mcp_servers.other]\ncommand = \"x\"\nargs = [\n  [\"a\"],\n]\n\n'",
                "CODEX|'text = \"\"\"\n[mcp_servers.brig]\n\"\"\"\n[[a.b]]\nx = ''''[mcp''''\n'"
            })
    void shouldLeaveAFileAsItWasByteForByte(McpClient client, String content) throws IOException {
        Path file = file(content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        McpSetting.Made made = add(client, file, COMMAND);
        assertNotNull(made);
        String with = Files.readString(file);
        assertTrue(with.contains("/opt/brig/bin/brig") && !with.equals(content), with);
        assertNull(add(client, file, MOVED), "replaced");
        assertTrue(Files.readString(file).contains("/usr/bin/brig"));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        remove(client, file, made);
        // A last line without an end gets one, for a table begins on a line of its own.
        boolean hasEnd = client != McpClient.CODEX || content.endsWith("\n");
        assertEquals(hasEnd ? content : content + "\n", Files.readString(file));
    }

    @ParameterizedTest
    @EnumSource
    void shouldMakeAFileAndRemoveItAgain(McpClient client) {
        Path file = client.file(folder);
        McpSetting.Made made = add(client, file, COMMAND);
        assertTrue(Files.exists(file));
        assertNull(add(client, file, COMMAND));
        remove(client, file, made);
        assertFalse(Files.exists(file));
        assertFalse(McpSetting.open(client, file).remove(COMMAND, made));
    }

    @Test
    void shouldWriteWhatEachClientReads() {
        assertEquals("command = \"/opt/brig/bin/brig\"\nargs = [\"mcp\"]", McpClient.CODEX.setting(COMMAND));
        assertTrue(McpClient.CODEX.setting(MOVED).contains("\"/etc/\\\"b\\\".json\""));
        assertTrue(McpClient.OPENCODE.setting(COMMAND).contains("\"type\": \"local\""));
        assertTrue(McpClient.CLAUDE.setting(COMMAND).contains("\"type\": \"stdio\""));
        Map<String, String> variables = Map.of("CODEX_HOME", "/c", "CLAUDE_CONFIG_DIR", "/d", "XDG_CONFIG_HOME", "/x");
        assertEquals(Path.of("/c/config.toml"), McpClient.CODEX.file(variables, folder));
        assertEquals(Path.of("/d/.claude.json"), McpClient.CLAUDE.file(variables, folder));
        assertEquals(Path.of("/x/opencode/opencode.json"), McpClient.OPENCODE.file(variables, folder));
        assertEquals(folder.resolve(".cursor/mcp.json"), McpClient.CURSOR.file(variables, folder));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CLAUDE|[]",
                "CLAUDE|{\"mcpServers\": 7}",
                "CLAUDE|{\"mcpServers\": {\"brig\": {\"command\": \"mine\"}}}",
                "CLAUDE|{\"mcpServers\": {\"brig\": 7}}",
                "CLAUDE|{\"a\": ",
                "OPENCODE|{} {}",
                "CODEX|'x = \"\"\"'",
                "CODEX|'mcp_servers = {brig = {command = \"x\"}}'",
                "CODEX|'mcp_servers.brig.command = \"x\"'",
                "CODEX|'[mcp_servers]\nbrig = {command = \"x\"}'",
                "CODEX|'[mcp_servers.\"brig\"]\ncommand = \"x\"'",
                "CODEX|'[mcp_servers.brig]\ncommand = \"x\"'",
                "CODEX|'[mcp_servers.brig]\ncommand = \"/opt/brig/bin/brig\"\nargs = [\"mcp\"]\nenabled = false'"
            })
    void shouldNotTouchAFileThatHasAnotherForm(McpClient client, String content) throws IOException {
        Path file = file(content);
        assertThrows(BrigException.class, () -> add(client, file, COMMAND));
        assertThrows(
                BrigException.class,
                () -> McpSetting.open(client, file).remove(COMMAND, new McpSetting.Made(true, true)));
        assertEquals(content, Files.readString(file));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\uD800", "\0", "[[[[", "]]]\n[", "\"\\", "'''\n'''\n[a", "#[mcp_servers.brig]"})
    void shouldSurviveAnyText(String content) {
        TomlText text;
        try {
            text = new TomlText(content);
        } catch (BrigException refused) {
            return;
        }
        text.put(List.of("mcp_servers", "brig"), "x = 1");
        assertEquals("x = 1", text.get(List.of("mcp_servers", "brig")));
        text.remove(List.of("mcp_servers", "brig"));
        assertEquals(content, text.text().substring(0, content.length()));
    }
}
