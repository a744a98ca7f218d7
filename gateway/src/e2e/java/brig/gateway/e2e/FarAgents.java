package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.json.Json;
import brig.workeragent.RealAgents;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The real agents for tests with other hosts: their model routes at home, and where a host's user has the programs. */
final class FarAgents {
    /** What those routes send in place of the agents' placeholders. */
    static final String KEY = "planted-key-of-home-5521";

    /** All that there are profiles of. */
    static final List<String> ALL = List.of("claude", "codex", "opencode");

    private static final String PATCH = """
            *** Begin Patch
            *** Update File: %s
            @@
            -one
            +two
            *** End Patch
            """;

    /** One call of a tool. */
    record Call(String name, Map<String, ?> input) {}

    private FarAgents() {}

    /** What that agent calls to run a command. */
    static Call command(String agent, String command) {
        return switch (agent) {
            case "claude" -> new Call("Bash", Map.of("command", command, "description", "test"));
            case "codex" -> new Call("exec_command", Map.of("cmd", command));
            default -> new Call("bash", Map.of("command", command, "description", "test"));
        };
    }

    /** What that agent calls to make "two" of the line "one" in a file of the folder that it works in. */
    static List<Call> edit(String agent, String folder, String name) {
        String file = folder + "/" + name;
        return switch (agent) {
            case "claude" ->
                List.of(
                        new Call("Read", Map.of("file_path", file)),
                        new Call("Edit", Map.of("file_path", file, "old_string", "one", "new_string", "two")));
            case "codex" -> List.of(command(agent, "apply_patch <<'EOF'\n" + PATCH.formatted(name) + "EOF"));
            default ->
                List.of(
                        new Call("read", Map.of("filePath", file)),
                        new Call("apply_patch", Map.of("patchText", PATCH.formatted(file))));
        };
    }

    /** The programs where {@code npm install -g} under nvm puts them, for that host's user. */
    static void installOn(SshHost host) throws IOException {
        Path modules = host.home().resolve(".nvm/versions/node/v22.1.0/lib/node_modules");
        Files.createDirectories(modules.getParent());
        Files.createSymbolicLink(modules, Path.of(RealAgents.places().split(":", 2)[0]));
        for (Path mine = modules.getParent(); !mine.equals(host.home()); mine = mine.getParent()) {
            host.give(mine);
        }
    }

    /** A product whose model routes are its own. */
    static Product prepare() throws IOException {
        Product product = Product.prepare(Map.of());
        String routes = "\"routesDir\":\"" + product.folder().resolve("routes") + "\",";
        String given = Files.readString(product.config());
        Files.writeString(product.config(), given.replace("\"workspaceBases\"", routes + "\"workspaceBases\""));
        return product;
    }

    /** Leads that agent at home to the model. The file with the key is gone again afterwards. */
    static void route(Product product, String agent, ScriptedModel model) throws IOException {
        Path key = Files.writeString(product.folder().resolve("a.key"), KEY + "\n");
        Run set = product.brig("route", "set", agent, "--key-file", key.toString(), "--url", model.url());
        assertEquals(0, set.exitCode(), set::err);
        Files.delete(key);
    }

    /** A message that has the model make those calls, one in each turn. */
    static String calls(List<Call> calls) {
        return "#scenario:calls:"
                + calls.stream()
                        .map(call -> Base64.getUrlEncoder()
                                .withoutPadding()
                                .encodeToString(Json.write(Map.of("name", call.name(), "input", call.input()))))
                        .collect(Collectors.joining(":"));
    }

    /** The model was asked with this text in the request. */
    static boolean wasAsked(Path log, String part) throws IOException {
        try (Stream<String> lines = Files.lines(log, StandardCharsets.UTF_8)) {
            return lines.anyMatch(line -> line.contains(part));
        }
    }
}
