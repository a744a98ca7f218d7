package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A product whose agents ask models that write bills. Closing ends it. */
final class BudgetSite implements AutoCloseable {
    /** What a purse has used up and what is reserved in it, by the newest ledger, in billionths of a dollar. */
    record Purse(long used, long reserved) {}

    private final Product product;

    BudgetSite(Product product) throws IOException {
        this.product = product;
        Path prices = BilledModel.writePrices(product.folder());
        String settings = "\"budget\":{\"prices\":\"" + prices + "\"},\"workspaceBases\"";
        Files.writeString(product.config(), Files.readString(product.config()).replace("\"workspaceBases\"", settings));
    }

    Product product() {
        return product;
    }

    /** Adds the agent of that name, a shell with a route to the model. */
    void addAgent(String name, BilledModel model) throws IOException {
        Files.writeString(product.agents().resolve(name + ".json"), """
                {"description": "asks a model", "command": ["/bin/bash", "-c", "eval -- \\"$(<{messageFile})\\""],
                 "models": ["%s"]}
                """.formatted(name));
        Run set = product.brig("route", "set", name, "--url", model.url());
        assertEquals(0, set.exitCode(), set::err);
    }

    Spawned root(double usd) throws IOException {
        return new Spawned(product, product.ask(request("shell", Map.of("budget", Map.of("usd", usd)))));
    }

    Spawned below(Spawned parent, String agent, String prompt) throws IOException {
        return new Spawned(product, product.ask(requestBelow(parent, agent, prompt)));
    }

    static String requestBelow(Spawned parent, String agent, String prompt) {
        return request(agent, Map.of("parent", parent.id(), "prompt", prompt, "once", true));
    }

    private static String request(String agent, Map<String, Object> more) {
        Map<String, Object> request = new LinkedHashMap<>(more);
        request.put("action", "spawn");
        request.put("agent_config", Map.of("name", agent));
        return new String(Json.write(request), StandardCharsets.UTF_8);
    }

    /** A command that sends that body so many times or until it is refused, and prints the status of each answer. */
    static String asking(String agent, String body, int times) {
        return "curl -sS --fail --fail-early -o /dev/null -w '%{http_code}\\n' -H 'content-type: application/json' -d '"
                + body + "' \"$BRIG_MODEL_URL_" + agent.toUpperCase(Locale.ROOT) + "/v1/messages?[1-" + times
                + "]\"";
    }

    /** The output of a session at its end. */
    static List<String> output(Spawned session) throws IOException {
        try (Wire wire = session.captain()) {
            return new Frames().readAll(wire).text().lines().toList();
        }
    }

    /** The sum of the lines of the newest whole ledger, whatever the product makes of them. */
    Purse purse(String name) throws IOException {
        Map<Long, Path> files = new HashMap<>();
        try (DirectoryStream<Path> ledgers =
                Files.newDirectoryStream(product.folder().resolve("state/egress/budget"), "ledger-*.jsonl")) {
            for (Path file : ledgers) {
                if (Files.readString(file).contains("\"begun\"")) {
                    files.put(Long.valueOf(file.getFileName().toString().replaceAll("\\D", "")), file);
                }
            }
        }
        Path newest = files.get(
                files.keySet().stream().mapToLong(Long::longValue).max().orElseThrow());
        long used = 0;
        Map<Long, Long> open = new HashMap<>();
        String text = Files.readString(newest);
        for (String line : text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
            JsonObject entry = JsonObject.read(line.getBytes(StandardCharsets.UTF_8));
            long nanos = entry.has("amount") ? entry.object("amount").number("nanos", 0) : 0;
            switch (entry.text("kind", "")) {
                case "spent" -> used += entry.text("purse", "").equals(name) ? nanos : 0;
                case "booked" -> used += entry.texts("purses").contains(name) ? nanos : 0;
                case "reserved" -> {
                    if (entry.texts("purses").contains(name)) {
                        open.put(entry.number("id", 0), nanos);
                    }
                }
                case "settled" -> used += open.remove(entry.number("id", 0)) == null ? 0 : nanos;
                default -> {}
            }
        }
        return new Purse(used, open.values().stream().mapToLong(Long::longValue).sum());
    }

    /** The most that a request with that body may come to. */
    static long most(String body, long outputTokens) {
        return (body.length() + 2) / 3 * BilledModel.CACHED_FOR_AN_HOUR + outputTokens * BilledModel.OUTPUT;
    }

    /**
     * A child asks for a little more than there is room for, and then for what there is room for: whether the product
     * knows of exactly that much.
     */
    void requireRoom(Spawned root, String agent, long nanos) throws IOException {
        String body = "{\"model\":\"billed\",\"max_tokens\":%09d}";
        long fits = (nanos - 1 - most(body.formatted(0), 0)) / BilledModel.OUTPUT;
        List<String> commands = new ArrayList<>();
        for (long tokens : new long[] {fits + 2, fits}) {
            commands.add(asking(agent, "{\"model\":\"billed\",\"max_tokens\":%d}".formatted(Math.max(1, tokens)), 1));
        }
        List<String> answers = output(below(root, agent, String.join("; ", commands)));
        assertEquals(fits < 1 ? List.of("400", "400") : List.of("400", "200"), answers);
    }

    @Override
    public void close() throws IOException {
        product.close();
    }
}
