package brig.gateway.e2e.provider;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import com.alibaba.opensandbox.sandbox.Sandbox;
import com.alibaba.opensandbox.sandbox.SandboxManager;
import com.alibaba.opensandbox.sandbox.config.ConnectionConfig;
import com.alibaba.opensandbox.sandbox.domain.exceptions.SandboxApiException;
import com.alibaba.opensandbox.sandbox.domain.exceptions.SandboxException;
import com.alibaba.opensandbox.sandbox.domain.models.execd.executions.Execution;
import com.alibaba.opensandbox.sandbox.domain.models.execd.executions.OutputMessage;
import com.alibaba.opensandbox.sandbox.domain.models.execd.executions.RunCommandRequest;
import com.alibaba.opensandbox.sandbox.domain.models.execd.filesystem.WriteEntry;
import com.alibaba.opensandbox.sandbox.domain.models.sandboxes.PagedSandboxInfos;
import com.alibaba.opensandbox.sandbox.domain.models.sandboxes.SandboxFilter;
import com.alibaba.opensandbox.sandbox.domain.models.sandboxes.SandboxInfo;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/**
 * The vendor's own client as a client of the fake, in a process of its own, whose trust is that of the whole JVM. A line of
 * JSON names an address, a key and what it does; the answer is a line.
 */
final class OpenSandboxClient {
    private final ConnectionConfig config;
    private final List<String> words;

    private OpenSandboxClient(ConnectionConfig config, List<String> words) {
        this.config = config;
        this.words = words;
    }

    public static void main(String[] arguments) throws IOException {
        // The client writes its log there.
        PrintStream out = System.out;
        System.setOut(System.err);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(new String(Json.write(answerTo(JsonObject.read(line.getBytes(UTF_8)))), UTF_8));
        }
        System.exit(0);
    }

    private static JsonObject answerTo(JsonObject request) {
        ConnectionConfig config = ConnectionConfig.builder()
                .domain(request.text("url", ""))
                .protocol("https")
                .apiKey(request.text("key", ""))
                .build();
        List<String> words = request.texts("words");
        try {
            return new OpenSandboxClient(config, words.subList(1, words.size())).does(words.getFirst());
        } catch (SandboxException e) {
            Integer status = e instanceof SandboxApiException api ? api.getStatusCode() : null;
            return JsonObject.builder()
                    .put("failed", e.getClass().getSimpleName())
                    .put("code", e.getError().getCode())
                    .put("message", e.getMessage())
                    .put("status", status == null ? 0L : (long) status)
                    .build();
        }
    }

    private JsonObject does(String what) {
        return switch (what) {
            case "create" -> created();
            case "list" -> listed();
            case "run" -> ran();
            case "files" -> files();
            default -> managed(what);
        };
    }

    private JsonObject created() {
        try (Sandbox sandbox = Sandbox.builder()
                .connectionConfig(config)
                .image("debian:12")
                .timeout(Duration.ofMinutes(10))
                .readyTimeout(Duration.ofSeconds(60))
                .healthCheckPollingInterval(Duration.ofMillis(20))
                .env(Map.of("GIVEN", "at the start"))
                .metadata(Map.of("name", words.get(0), "request", words.get(1)))
                .build()) {
            SandboxInfo info = sandbox.getInfo();
            return shown(info)
                    .with("healthy", sandbox.isHealthy())
                    .with(
                            "endpoint",
                            sandbox.getEndpoint(Integer.parseInt(words.get(2))).getEndpoint());
        }
    }

    private static JsonObject shown(SandboxInfo info) {
        return JsonObject.builder()
                .put("id", info.getId().toString())
                .put("state", info.getStatus().getState())
                .put("image", info.getImage().getImage())
                .put("metadata", info.getMetadata())
                .put(
                        "seconds",
                        Duration.between(info.getCreatedAt(), info.getExpiresAt())
                                .toSeconds())
                .build();
    }

    private JsonObject listed() {
        try (SandboxManager manager =
                SandboxManager.builder().connectionConfig(config).build()) {
            PagedSandboxInfos page = manager.listSandboxInfos(SandboxFilter.builder()
                    .metadata(Map.of(words.get(0), words.get(1)))
                    .page(Integer.parseInt(words.get(2)))
                    .pageSize(Integer.parseInt(words.get(3)))
                    .build());
            return JsonObject.builder()
                    .put(
                            "items",
                            page.getSandboxInfos().stream()
                                    .map(OpenSandboxClient::shown)
                                    .toList())
                    .put("total", (long) page.getPagination().getTotalItems())
                    .put("pages", (long) page.getPagination().getTotalPages())
                    .put("more", page.getPagination().getHasNextPage())
                    .build();
        }
    }

    private JsonObject managed(String what) {
        UUID id = UUID.fromString(words.getFirst());
        try (SandboxManager manager =
                SandboxManager.builder().connectionConfig(config).build()) {
            switch (what) {
                case "kill" -> manager.killSandbox(id);
                case "pause" -> manager.pauseSandbox(id);
                case "resume" -> manager.resumeSandbox(id);
                case "renew" -> manager.renewSandbox(id, Duration.parse(words.get(1)));
                case "get" -> {
                    return shown(manager.getSandboxInfo(id));
                }
                default -> throw new IllegalArgumentException(what);
            }
            return JsonObject.EMPTY;
        }
    }

    private Sandbox connected() {
        return Sandbox.connector()
                .connectionConfig(config)
                .sandboxId(UUID.fromString(words.getFirst()))
                .connect();
    }

    private JsonObject ran() {
        try (Sandbox sandbox = connected()) {
            Execution execution = sandbox.commands()
                    .run(RunCommandRequest.builder()
                            .command(words.get(1))
                            .workingDirectory(words.get(2))
                            .background(Boolean.parseBoolean(words.get(3)))
                            .build());
            JsonObject.Builder answer = JsonObject.builder()
                    .put("id", execution.getId())
                    .put("out", texts(execution.getLogs().getStdout()))
                    .put("err", texts(execution.getLogs().getStderr()));
            if (execution.getError() != null) {
                answer.put(
                        "error",
                        execution.getError().getName() + " "
                                + execution.getError().getValue());
            }
            return answer.build();
        }
    }

    private static List<String> texts(List<OutputMessage> messages) {
        return messages.stream().map(OutputMessage::getText).toList();
    }

    private JsonObject files() {
        byte[] sent = new byte[Integer.parseInt(words.get(2))];
        new Random(3).nextBytes(sent);
        try (Sandbox sandbox = connected()) {
            sandbox.files()
                    .write(List.of(
                            WriteEntry.builder()
                                    .path(words.get(1))
                                    .data(new ByteArrayInputStream(sent))
                                    .mode(750)
                                    .build(),
                            WriteEntry.builder()
                                    .path(words.get(1) + ".small")
                                    .data("text")
                                    .mode(640)
                                    .build()));
            return JsonObject.builder()
                    .put("equal", Arrays.equals(sent, sandbox.files().readByteArray(words.get(1))))
                    .put("small", sandbox.files().readFile(words.get(1) + ".small"))
                    .build();
        }
    }
}
