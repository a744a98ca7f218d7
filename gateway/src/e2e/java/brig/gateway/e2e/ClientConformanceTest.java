package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every client of {@code clients} does the same in the same cases: {@code clients/conformance/cases.json}. */
@Timeout(300)
@Tag("slow")
class ClientConformanceTest {
    private static final Path CLIENTS = Path.of(System.getProperty("brig.clients", ""));
    private static final Path CASES = CLIENTS.resolve("conformance/cases.json");
    private static final String PROMPT = "x";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource
    void shouldDoWhatTheCasesSay(ClientProgram program) throws IOException {
        JsonObject cases = cases();
        List<String> wrong = new ArrayList<>();
        try (Running client = new Running(program, folder)) {
            for (JsonObject one : cases.objects("scripted")) {
                check(client, one, wrong);
            }
            for (JsonObject one : cases.objects("hostile")) {
                check(client, hostile(one), wrong);
            }
        }
        assertEquals(List.of(), wrong);
    }

    @ParameterizedTest
    @EnumSource
    void shouldWorkWithTheProduct(ClientProgram program) throws IOException {
        try (Running client = new Running(program, folder);
                Product product = Product.start()) {
            List<String> wrong = new ArrayList<>();
            for (Map<String, String> place : ClientProgram.places(product)) {
                String text = Files.readString(CASES)
                        .replace("$request", UUID.randomUUID().toString());
                for (JsonObject one :
                        JsonObject.read(text.getBytes(StandardCharsets.UTF_8)).objects("product")) {
                    JsonObject answer = client.run(place, one);
                    compare(one, answer, wrong);
                    long sessions = answer.objects("outcomes").stream()
                            .map(outcome -> outcome.text("spawn_id"))
                            .filter(Objects::nonNull)
                            .distinct()
                            .count();
                    if (one.flag("same_session") && sessions != 1) {
                        wrong.add(one.text("name") + ": " + answer);
                    }
                }
            }
            assertEquals(List.of(), wrong);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldMissNothingWhenTheGatewayIsKilledAndComesBack(ClientProgram program) throws IOException {
        // Scenario: a client reads, the gateway is killed, the worker goes on, another gateway takes it up.
        try (Running client = new Running(program, folder);
                Product product = Product.start()) {
            String go = "while [ ! -e go ]; do sleep 0.05; done";
            JsonObject read = JsonObject.read(Json.write(Map.of(
                    "steps",
                    List.of(
                            Map.of(
                                    "do",
                                    "start",
                                    "agent",
                                    "shell",
                                    "task_id",
                                    "killed",
                                    "prompt",
                                    "for i in 1 2 3; do echo $i; done; touch up; " + go
                                            + "; for i in 4 5 6; do echo $i; done"),
                            Map.of("do", "text")))));
            client.send(ClientProgram.places(product).getFirst(), read);
            Await.until(
                    "the agent is up", () -> Files.exists(workspaceOf(product).resolve("up")));
            Path work = workspaceOf(product);
            product.kill();
            product.serve();
            Files.createFile(work.resolve("go"));
            JsonObject answer = client.answer();
            assertEquals(
                    "1\n2\n3\n4\n5\n6\n", answer.objects("outcomes").getLast().text("text"), answer::toString);
        }
    }

    private static Path workspaceOf(Product product) throws IOException {
        return Path.of(product.ask("{\"action\":\"status\",\"id\":\"killed\"}").text("workspace", "absent"));
    }

    private static JsonObject cases() throws IOException {
        return JsonObject.read(Files.readAllBytes(CASES));
    }

    private void check(Running client, JsonObject one, List<String> wrong) throws IOException {
        try (ScriptedGateway gateway = new ScriptedGateway(one, folder)) {
            compare(one, client.run(Map.of("where", gateway.spawner().toString()), one), wrong);
            gateway.faults().forEach(fault -> wrong.add(one.text("name") + ": " + fault.getMessage()));
            for (String kind : List.of("session", "spawn", "requests")) {
                int wanted = one.elements(kind).size();
                if (wanted > 0 && gateway.count(kind) != wanted) {
                    wrong.add(one.text("name") + ": " + gateway.count(kind) + " connections of " + kind + ", not "
                            + wanted);
                }
            }
            if (one.flag("terminated") != gateway.count("terminated") > 0) {
                wrong.add(one.text("name") + ": " + gateway.count("terminated") + " sessions were ended");
            }
        }
    }

    private static void compare(JsonObject one, JsonObject answer, List<String> wrong) {
        if (!Matching.fits(one.elements("outcomes"), answer.elements("outcomes"))) {
            wrong.add(one.text("name") + ": " + answer + " is not " + one.elements("outcomes"));
        }
    }

    /** A session in which a message is taken, and then comes what no gateway would send. */
    private static JsonObject hostile(JsonObject one) {
        List<Object> session =
                List.of(Map.of("hello", Map.of(), "welcome", Map.of()), Map.of("take", Map.of("content", PROMPT)), one);
        return JsonObject.of(Map.of(
                "name",
                one.text("name", ""),
                "session",
                List.of(session),
                "steps",
                List.of(
                        JsonObject.of(Map.of("do", "start", "agent", "shell", "prompt", PROMPT)),
                        JsonObject.of(Map.of("do", "read", "until", "end"))),
                "outcomes",
                List.of(JsonObject.of(Map.of("ok", true)), JsonObject.of(Map.of("error", one.text("error", ""))))));
    }

    /** A client's program, which works off one case after the other. */
    private static final class Running implements AutoCloseable {
        private final Process process;
        private final Writer in;
        private final BufferedReader out;
        private String asked = "";

        Running(ClientProgram program, Path folder) throws IOException {
            process = new ProcessBuilder(program.require(CLIENTS, folder))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            in = process.outputWriter(StandardCharsets.UTF_8);
            out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        }

        JsonObject run(Map<String, ?> place, JsonObject one) throws IOException {
            send(place, one);
            return answer();
        }

        void send(Map<String, ?> place, JsonObject one) throws IOException {
            Map<String, Object> line = new LinkedHashMap<>(place);
            Stream.of("steps", "options").filter(one::has).forEach(name -> line.put(name, one.value(name)));
            asked = one.text("name", "");
            in.write(new String(Json.writeLine(JsonObject.of(line)), StandardCharsets.UTF_8));
            in.flush();
        }

        JsonObject answer() throws IOException {
            String line;
            try {
                line = CompletableFuture.supplyAsync(this::readLine).get(Await.DEADLINE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException | ExecutionException | TimeoutException e) {
                throw new AssertionError("the client's program does not answer: " + asked, e);
            }
            if (line == null) {
                throw new AssertionError("the client's program has ended: " + asked);
            }
            return JsonObject.read(line.getBytes(StandardCharsets.UTF_8));
        }

        private String readLine() {
            try {
                return out.readLine();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            in.close();
            process.destroy();
        }
    }
}
