package brig.gateway.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.acp.AcpSchema;
import brig.protocol.BrigException;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * An editor: {@code brig acp} in a process of its own, and what it says, in order. Every line of it must be valid by the
 * protocol's own schema, where npm brought that.
 */
final class Editor implements AutoCloseable {
    private static final JsonObject END = JsonObject.EMPTY;

    private final Process process;
    private final Path errors;
    private final OutputStream in;
    private final AcpSchema schema = AcpSchema.load().orElse(null);
    private final BlockingQueue<JsonObject> messages = new LinkedBlockingQueue<>();
    private final List<String> faults = new ArrayList<>();
    private long lastId;

    /** @param arguments behind {@code brig acp} */
    Editor(Product product, String... arguments) throws IOException {
        List<String> command = product.command("acp");
        command.addAll(List.of(arguments));
        errors = Files.createTempFile(product.folder(), "acp", ".log");
        process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        in = process.getOutputStream();
        Thread.ofVirtual()
                .start(() -> read(new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))));
    }

    /** One that has said hello. */
    static Editor open(Product product, String... arguments) throws IOException {
        Editor editor = new Editor(product, arguments);
        editor.ask("initialize", Map.of("protocolVersion", 1, "clientCapabilities", Map.of()));
        return editor;
    }

    private void read(BufferedReader lines) {
        try {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                check(line);
                messages.add(JsonObject.read(line.getBytes(UTF_8)));
            }
        } catch (BrigException e) {
            synchronized (faults) {
                faults.add("standard output has something else: " + e.getMessage());
            }
        } catch (IOException e) {
            // The test has ended it.
        }
        messages.add(END);
    }

    private void check(String line) {
        synchronized (faults) {
            String fault = schema == null ? "" : schema.faults(line);
            if (!fault.isEmpty()) {
                faults.add(line + ": " + fault);
            }
        }
    }

    void sendLine(String line) throws IOException {
        in.write((line + "\n").getBytes(UTF_8));
        in.flush();
    }

    private void send(Map<String, ?> message) throws IOException {
        Map<String, Object> line = new LinkedHashMap<>(Map.of("jsonrpc", "2.0"));
        line.putAll(message);
        sendLine(new String(Json.write(line), UTF_8));
    }

    void notify(String method, Map<String, ?> params) throws IOException {
        send(Map.of("method", method, "params", params));
    }

    void answer(JsonObject question, Map<String, ?> result) throws IOException {
        send(Map.of("id", question.value("id"), "result", result));
    }

    /** Sends a request without waiting, and gives its id. */
    long begin(String method, Map<String, ?> params) throws IOException {
        lastId++;
        synchronized (faults) {
            if (schema != null) {
                schema.note(lastId, method);
            }
        }
        send(Map.of("id", lastId, "method", method, "params", params));
        return lastId;
    }

    /** The next message; what comes before one that is waited for is passed over. */
    JsonObject next() {
        try {
            JsonObject message = messages.poll(Await.DEADLINE_SECONDS, TimeUnit.SECONDS);
            if (message == null || message.isEmpty()) {
                throw new AssertionError((message == null ? "nothing came: " : "it ended: ") + errors());
            }
            return message;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    JsonObject next(Predicate<JsonObject> wanted) {
        JsonObject message = next();
        while (!wanted.test(message)) {
            message = next();
        }
        return message;
    }

    /** Everything up to the answer to that request, which is the last. */
    List<JsonObject> until(long id) {
        List<JsonObject> all = new ArrayList<>();
        do {
            all.add(next());
        } while (all.getLast().has("method")
                || !Long.valueOf(id).equals(all.getLast().value("id")));
        return all;
    }

    JsonObject result(long id) {
        JsonObject answer = until(id).getLast();
        if (!answer.names().contains("result")) {
            throw new AssertionError("refused: " + answer);
        }
        return answer.object("result");
    }

    JsonObject ask(String method, Map<String, ?> params) throws IOException {
        return result(begin(method, params));
    }

    JsonObject refusal(String method, Map<String, ?> params) throws IOException {
        return until(begin(method, params)).getLast().object("error");
    }

    String newSession(Path folder) throws IOException {
        return ask("session/new", Map.of("cwd", folder.toString(), "mcpServers", List.of()))
                .text("sessionId", "");
    }

    long prompt(String session, String text) throws IOException {
        return begin("session/prompt", prompted(session, text));
    }

    static Map<String, Object> prompted(String session, String text) {
        return new LinkedHashMap<>(
                Map.of("sessionId", session, "prompt", List.of(Map.of("type", "text", "text", text))));
    }

    /** The update of a notification; empty where it is none. */
    static JsonObject update(JsonObject message) {
        return message.text("method", "").equals("session/update")
                ? message.object("params").object("update")
                : END;
    }

    static Predicate<JsonObject> isUpdate(String kind) {
        return message -> update(message).text("sessionUpdate", "").equals(kind);
    }

    /** The text of all updates of a kind. */
    static String text(List<JsonObject> messages, String kind) {
        StringBuilder text = new StringBuilder();
        messages.stream()
                .filter(isUpdate(kind))
                .forEach(
                        message -> text.append(update(message).object("content").text("text", "")));
        return text.toString();
    }

    String errors() {
        try {
            return Files.readString(errors);
        } catch (IOException e) {
            return e.toString();
        }
    }

    Process process() {
        return process;
    }

    /** Ends its input, and waits for its end. */
    int end() throws IOException {
        in.close();
        return awaitEnd();
    }

    int awaitEnd() {
        try {
            if (!process.waitFor(Await.DEADLINE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("it did not end: " + errors());
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        synchronized (faults) {
            assertEquals(List.of(), faults);
        }
    }
}
