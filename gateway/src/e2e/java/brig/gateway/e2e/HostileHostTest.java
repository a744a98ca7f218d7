package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.e2e.HostileSshServer.Commands;
import brig.gateway.e2e.HostileSshServer.Streams;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Hosts that are up to no good, many at once: the gateway says of each what is wrong, and serves everybody else meanwhile. */
@Timeout(300)
@Tag("slow")
class HostileHostTest {
    private static final long ANSWER_MS_MAX = 3_000;
    private static final long GROWN_KIB_MAX = 200 * 1024;
    private static final long BANNER_SECONDS = 10;

    private static final long LOG_BYTES_MAX = 512 * 1024;
    private static final int REASON_CHARACTERS_MAX = 1_000;
    /** Those that fail without a deadline. */
    private static final Set<String> AT_ONCE =
            Set.of("says-cut", "says-garbage", "says-no-exit-code", "says-nothing", "streams-cut", "late");

    private final Map<String, HostileSshServer> servers = new LinkedHashMap<>();

    private HostileSshServer server(String name) throws Exception {
        HostileSshServer server = HostileSshServer.start(name);
        servers.put(name, server);
        return server;
    }

    /** What {@code brig-host} of a host says that claims to be fine. */
    private static void pretend(HostileSshServer server) throws IOException {
        Path program = server.home()
                .resolve(".brig/versions")
                .resolve(Payloads.version())
                .resolve("bin/brig-host");
        Files.createDirectories(program.getParent());
        Files.writeString(
                program,
                "#!/bin/sh\ncase $1 in start) echo '{\"socket\":\"/tmp/none.sock\",\"version\":\"1\",\"pid\":1}' ;;"
                        + " check) echo '{\"name\":\"all\",\"status\":\"ok\",\"detail\":\"fine\"}' ;; dial) yes ;; esac\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static long residentKib(Product product) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + product.process().pid() + "/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }

    private static JsonObject hosts(Product product) throws IOException {
        return product.ask("{\"action\":\"hosts\"}");
    }

    private static void add(Product product, String name, HostileSshServer server) throws IOException {
        Map<String, Object> request = new LinkedHashMap<>(RemoteSite.reach(server.config()));
        request.put("action", "add_host");
        request.put("name", name);
        JsonObject answer = product.ask(new String(Json.write(request), StandardCharsets.UTF_8));
        assertEquals(name, answer.text("name", ""), answer::toString);
    }

    /** Those that have said what is wrong are quiet afterwards: the machine has other tests to run. */
    private void awaitReasons(Product product, Map<String, String> reasons, long[] slowest, Set<String> wanted)
            throws IOException {
        Await.until("each has failed for a reason", () -> {
            long asked = System.nanoTime();
            List<JsonObject> all = hosts(product).objects("hosts");
            slowest[0] = Math.max(slowest[0], System.nanoTime() - asked);
            for (JsonObject host : all) {
                String name = host.text("name", "");
                if (host.has("reason") && host.text("state", "").equals("down") && !reasons.containsKey(name)) {
                    reasons.put(name, host.text("reason", ""));
                    servers.get(name).exitCode(1);
                }
            }
            return reasons.keySet().containsAll(wanted);
        });
    }

    @Test
    void shouldSayWhatIsWrongWithEachAndServeEverybodyElse() throws Exception {
        for (Commands commands : List.of(
                Commands.GARBAGE, Commands.ENDLESS_ERRORS, Commands.CUT, Commands.NO_EXIT_CODE, Commands.SILENT)) {
            server("says-" + commands.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                    .commands(commands);
        }
        server("says-nothing").exitCode(0);
        for (Streams streams : Streams.values()) {
            HostileSshServer server = server("streams-" + streams.name().toLowerCase(Locale.ROOT));
            server.streams(streams);
            pretend(server);
        }
        HostileSshServer late = server("late");
        late.exitCode(1);
        late.chatter(1000, "x".repeat(10_000));
        late.link().stall();
        try (Product product = Payloads.start()) {
            Spawned local = product.idle("local");
            long before = residentKib(product);
            for (Map.Entry<String, HostileSshServer> server : servers.entrySet()) {
                add(product, server.getKey(), server.getValue());
            }
            CompletableFuture.delayedExecutor(BANNER_SECONDS, TimeUnit.SECONDS).execute(late.link()::resume);
            long[] slowest = {0};
            Map<String, String> reasons = new TreeMap<>();
            // What takes longest are three deadlines in a row, which together are longer than one wait.
            awaitReasons(product, reasons, slowest, AT_ONCE);
            awaitReasons(product, reasons, slowest, servers.keySet());
            try (Wire captain = local.captain()) {
                captain.sendLine(Spawned.user("echo served"));
                assertEquals(
                        "served\n", new Frames().readUntilType(captain, "done").text());
            }
            long slowestMs = TimeUnit.NANOSECONDS.toMillis(slowest[0]);
            long grown = residentKib(product) - before;
            Run list = product.brig("host", "list");
            for (String name : servers.keySet()) {
                assertTrue(list.out().contains(name + " "), list::toString);
                assertTrue(reasons.get(name).length() < REASON_CHARACTERS_MAX, reasons.get(name));
                assertTrue(reasons.get(name).codePoints().noneMatch(Character::isISOControl), reasons.get(name));
            }
            assertTrue(reasons.get("says-silent").contains("took too long"), reasons::toString);
            for (String streams : List.of("streams-refused", "streams-silent", "streams-garbage", "streams-closed")) {
                assertTrue(
                        reasons.get(streams).startsWith("the worker-agent there does not answer"), reasons::toString);
            }
            System.out.println("hostile hosts: slowest answer " + slowestMs + " ms, memory " + grown / 1024
                    + " MiB more, log " + Files.size(product.log()) / 1024 + " KiB");
            assertTrue(slowestMs < ANSWER_MS_MAX, "an answer took " + slowestMs + " ms");
            assertTrue(grown < GROWN_KIB_MAX, grown + " KiB more");
            assertTrue(Files.size(product.log()) < LOG_BYTES_MAX, Files.size(product.log()) + " bytes of log");
        } finally {
            for (HostileSshServer server : servers.values()) {
                server.close();
            }
        }
    }
}
