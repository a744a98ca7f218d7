package brig.gateway.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code brig mcp} and what the Model Context Protocol has of its own: the conformance kit, through a bridge to HTTP, and
 * its client.
 *
 * <p>Decision 0183.
 */
@Timeout(300)
@Order(8)
@Tag("slow")
class McpConformanceTest {
    private static final Path PACKAGES = Path.of(System.getProperty("brig.npm", ""));
    private static final Path NODE = PACKAGES.resolve("node/bin/node");
    private static final Path SCRIPTS = Path.of("src/e2e/resources");
    private static final long KIT_SECONDS_MAX = 200;
    /** With three signs of life. */
    private static final int WAIT_SECONDS = 31;

    /** What the kit's own tools and resources are here. */
    private static final Map<String, ?> TOOLS = Map.of(
            "test_simple_text", Map.of("name", "list"),
            "test_error_handling", Map.of("name", "status", "arguments", Map.of("session", "none")),
            "test_tool_with_progress",
                    Map.of("name", "wait", "arguments", Map.of("session", "busy", "seconds", WAIT_SECONDS)));

    private static final Map<String, ?> RESOURCES = Map.of(
            "test://static-text", "brig://sessions/123/stream",
            "test://template/123/data", "brig://sessions/123/stream");

    private static void require(Path packaged) {
        boolean there = Files.isExecutable(NODE) && Files.exists(PACKAGES.resolve(packaged));
        if (!there) {
            System.err.println("SKIPPED: brig mcp is not tested with " + packaged + ", which npm could not install");
        }
        assumeTrue(there);
    }

    /** With a session that has said something, and one that is at work. */
    private static Product product() throws IOException {
        Product product = Product.start();
        Run said = product.brig("run", "mock", "--task-id", "123", "--", "template 123");
        assertEquals(0, said.exitCode(), said::err);
        Run begun = product.brig("spawn", "mock", "--task-id", "busy", "--", "#scenario:text:9000:100");
        assertEquals(0, begun.exitCode(), begun::err);
        return product;
    }

    /** The kit that is released knows the first era alone. */
    @ParameterizedTest
    @CsvSource({"2025-11-25, @modelcontextprotocol/conformance", "2026-07-28, mcp-conformance-next"})
    void shouldPassWhatTheKitCanTest(String version, String kit) throws IOException {
        Path program = Path.of(kit, "dist/index.js");
        require(program);
        try (Product product = product()) {
            Path out = Files.createDirectory(product.folder().resolve("kit"));
            Process bridge = bridge(product);
            try {
                List<String> command = List.of(
                        NODE.toString(),
                        PACKAGES.resolve(program).toString(),
                        "server",
                        "--url",
                        ScriptedModel.address(bridge) + "/mcp",
                        "--suite",
                        "all",
                        "--spec-version",
                        version,
                        "--expected-failures",
                        SCRIPTS.resolve("mcp-baseline-" + version + ".yml")
                                .toAbsolutePath()
                                .toString(),
                        "-o",
                        out.toString());
                Run run = Run.of(command, "", product.folder(), KIT_SECONDS_MAX);
                assertEquals(0, run.exitCode(), run::toString);
                assertEquals(notApplicable(version), failed(out), run::toString);
            } finally {
                bridge.destroy();
            }
        }
    }

    private static Process bridge(Product product) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                NODE.toString(),
                SCRIPTS.resolve("mcp-bridge.mjs").toString(),
                new String(Json.write(Map.of("tools", TOOLS, "resources", RESOURCES)), UTF_8)));
        command.addAll(product.command("mcp"));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static TreeSet<String> notApplicable(String version) throws IOException {
        JsonObject reasons = JsonObject.read(Files.readAllBytes(SCRIPTS.resolve("mcp-conformance.json")))
                .object(version);
        TreeSet<String> ids = new TreeSet<>();
        reasons.names().forEach(reason -> ids.addAll(reasons.texts(reason)));
        return ids;
    }

    private static TreeSet<String> failed(Path results) throws IOException {
        TreeSet<String> ids = new TreeSet<>();
        int passed = 0;
        try (Stream<Path> files = Files.walk(results)) {
            for (Path file : files.filter(file -> file.endsWith("checks.json")).toList()) {
                for (JsonObject check : JsonObject.read(("{\"checks\":" + Files.readString(file) + "}").getBytes(UTF_8))
                        .objects("checks")) {
                    switch (check.text("status", "")) {
                        case "SUCCESS" -> passed++;
                        case "FAILURE", "WARNING" -> ids.add(check.text("id", ""));
                        default -> {}
                    }
                }
            }
        }
        assertTrue(passed > 10, passed + " checks passed");
        return ids;
    }

    @Test
    void shouldOutliveTheLimitOfAClientThatHearsOfItsProgress() throws IOException {
        Path kit = Path.of("@modelcontextprotocol/sdk");
        require(kit);
        try (Product product = product()) {
            List<String> command = new ArrayList<>(List.of(
                    NODE.toString(),
                    SCRIPTS.resolve("mcp-client.mjs").toString(),
                    PACKAGES.resolve(kit).toString(),
                    "busy",
                    String.valueOf(WAIT_SECONDS),
                    "25000"));
            command.addAll(product.command("mcp"));
            Run run = Run.of(command, "", product.folder(), KIT_SECONDS_MAX);
            assertEquals("ok\n", run.out(), run::toString);
        }
    }
}
