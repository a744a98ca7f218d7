package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.json.Json;
import brig.workeragent.RealAgents;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The real agents for tests with other hosts: their model routes at home, and where a host's user has the programs. */
final class FarAgents {
    /** What those routes send in place of the agents' placeholders. */
    static final String KEY = "planted-key-of-home-5521";

    /** One call of a tool. */
    record Call(String name, Map<String, ?> input) {}

    private FarAgents() {}

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
    static String calls(Call... calls) {
        return "#scenario:calls:"
                + Stream.of(calls)
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
