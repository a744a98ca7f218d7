package brig.cli;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** A program whose settings can name a server of MCP, and where they are. */
enum McpClient {
    CLAUDE("mcpServers"),
    CODEX("mcp_servers"),
    OPENCODE("mcp"),
    CURSOR("mcpServers");

    private static final String NAME = "brig";

    private final String servers;

    McpClient(String servers) {
        this.servers = servers;
    }

    private record Stdio(String type, String command, List<String> args) {}

    private record Local(String type, List<String> command, boolean enabled) {}

    /** The place of the setting in the file. */
    List<String> path() {
        return List.of(servers, NAME);
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The user's own settings. */
    Path file(Map<String, String> environment, Path home) {
        return switch (this) {
            case CLAUDE -> folder(environment, "CLAUDE_CONFIG_DIR", home).resolve(".claude.json");
            case CODEX ->
                folder(environment, "CODEX_HOME", home.resolve(".codex")).resolve("config.toml");
            case OPENCODE ->
                jsonc(folder(environment, "XDG_CONFIG_HOME", home.resolve(".config"))
                        .resolve("opencode"));
            case CURSOR -> home.resolve(".cursor/mcp.json");
        };
    }

    /** The settings of a project. */
    Path file(Path project) {
        return switch (this) {
            case CLAUDE -> project.resolve(".mcp.json");
            case CODEX -> project.resolve(".codex/config.toml");
            case OPENCODE -> jsonc(project);
            case CURSOR -> project.resolve(".cursor/mcp.json");
        };
    }

    private static Path jsonc(Path folder) {
        Path commented = folder.resolve("opencode.jsonc");
        return Files.exists(commented) ? commented : folder.resolve("opencode.json");
    }

    private static Path folder(Map<String, String> environment, String variable, Path otherwise) {
        String named = environment.get(variable);
        return named == null || named.isEmpty() ? otherwise : Path.of(named);
    }

    /** The settings around it; empty for none. */
    List<String> group() {
        return this == CODEX ? List.of() : List.of(servers);
    }

    /** @throws brig.protocol.BrigException if it is not what the client reads */
    EditedText text(String content) {
        return this == CODEX ? new TomlText(content) : new JsonText(content.isBlank() ? "{}\n" : content);
    }

    /** Whether it has no setting. */
    boolean isBlank(String content) {
        return content.isBlank() || content.strip().equals("{}");
    }

    /** The setting that runs that command, as it stands in the file. */
    String setting(List<String> command) {
        String program = command.getFirst();
        List<String> arguments = command.subList(1, command.size());
        return switch (this) {
            case CLAUDE, CURSOR -> EditedFile.pretty(JsonObject.of(new Stdio("stdio", program, arguments)));
            case OPENCODE -> EditedFile.pretty(JsonObject.of(new Local("local", command, true)));
            case CODEX ->
                "command = " + quoted(program) + "\nargs = "
                        + arguments.stream().map(McpClient::quoted).collect(Collectors.joining(", ", "[", "]"));
        };
    }

    /** A basic string of TOML has the escapes of JSON. */
    private static String quoted(String text) {
        String object = new String(Json.write(JsonObject.EMPTY.with("x", text)), StandardCharsets.UTF_8);
        return object.substring("{\"x\":".length(), object.length() - 1);
    }
}
