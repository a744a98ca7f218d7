package brig.gateway.e2e.provider;

import brig.gateway.e2e.provider.Call.Answer;
import brig.protocol.BrigException;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerFileUpload;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/** The daemon inside each sandbox of OpenSandbox that runs commands and keeps files. */
final class Execd {
    private static final int SMALL_BYTES_MAX = 64 * 1024;

    private record Command(String id, String text, Process process, long startedMs) {}

    private final FakeOpenSandbox provider;
    private final Map<String, Command> commands = new ConcurrentHashMap<>();

    Execd(FakeOpenSandbox provider) {
        this.provider = provider;
    }

    /** On the event loop. */
    void begin(Call call, Rented sandbox, String path, Faults.Cut cut) {
        HttpServerRequest request = call.request();
        String what = call.method() + " " + path;
        if (what.equals("POST /files/upload")) {
            upload(request, sandbox, cut);
            return;
        }
        InputStream content = Pull.bytes(request);
        provider.threads.execute(() -> {
            try {
                byte[] body = content.readNBytes(SMALL_BYTES_MAX);
                if (what.equals("POST /command")) {
                    run(request, sandbox, JsonObject.read(body), cut);
                    return;
                }
                Answer answer = answer(call, what, sandbox);
                if (cut.equals(Faults.Cut.AT_ONCE)) {
                    FakeProvider.cut(request.connection());
                } else {
                    FakeProvider.send(request.response(), answer);
                }
            } catch (BrigException | IllegalArgumentException e) {
                FakeProvider.send(
                        request.response(), provider.refusal(400, "INVALID_REQUEST_BODY", "" + e.getMessage()));
            } catch (IOException e) {
                FakeProvider.send(request.response(), provider.refusal(500, "RUNTIME_ERROR", "" + e.getMessage()));
            }
        });
    }

    private Answer answer(Call call, String what, Rented sandbox) throws IOException {
        if (what.equals("GET /ping")) {
            sandbox.wall();
            return Answer.of(200, "");
        }
        if (what.startsWith("GET /files/download")) {
            return download(call.query("path", ""), sandbox.wall());
        }
        if (what.startsWith("GET /command/status/")) {
            Command command = commands.get(what.substring(what.lastIndexOf('/') + 1));
            return command == null
                    ? provider.refusal(404, "INVALID_REQUEST_BODY", "command not found")
                    : Answer.of(200, shown(command));
        }
        if (what.startsWith("DELETE /command")) {
            Command command = commands.get(call.query("id", ""));
            if (command != null) {
                FakeSandbox.end(command.process);
            }
            return Answer.of(200, "");
        }
        return provider.refusal(404, "NOT_SUPPORTED", "no such resource");
    }

    // ---- commands

    private void run(HttpServerRequest request, Rented sandbox, JsonObject body, Faults.Cut cut) throws IOException {
        if (body.text("command", "").isEmpty()) {
            throw new IllegalArgumentException("command is required");
        }
        FakeSandbox wall = sandbox.wall();
        Map<String, String> environment = provider.environmentOf(sandbox, wall);
        JsonObject more = body.object("envs");
        more.names().forEach(name -> environment.put(name, more.text(name, "")));
        Process process =
                wall.exec(List.of("bash", "-c", body.text("command", "")), environment, body.text("cwd", wall.home()));
        process.getOutputStream().close();
        Command command =
                new Command(UUID.randomUUID().toString(), body.text("command", ""), process, provider.nowMs());
        commands.put(command.id, command);
        if (body.number("timeout", 0) > 0) {
            provider.later(body.number("timeout", 0), () -> FakeSandbox.end(process));
        }
        Events events = new Events(request, cut);
        try {
            events.send(event("init").put("text", command.id));
            if (body.flag("background")) {
                drain(process.getInputStream());
                drain(process.getErrorStream());
                events.send(event("execution_complete").put("execution_time", 0L));
            } else {
                request.response().closeHandler(gone -> provider.threads.execute(() -> FakeSandbox.end(process)));
                follow(process, events);
            }
            request.response().end();
        } catch (IOException | CompletionException clientIsGone) {
            if (!body.flag("background")) {
                FakeSandbox.end(process);
            }
        }
    }

    private void drain(InputStream output) {
        provider.threads.execute(() -> {
            try (output) {
                output.transferTo(OutputStream.nullOutputStream());
            } catch (IOException ended) {
                // As the command has.
            }
        });
    }

    private void follow(Process process, Events events) throws IOException {
        CompletableFuture<Void> out = lines(process.inputReader(), "stdout", events);
        CompletableFuture<Void> err = lines(process.errorReader(), "stderr", events);
        out.join();
        err.join();
        int code = FakeSandbox.exitOf(process);
        events.send(
                code == 0
                        ? event("execution_complete").put("execution_time", 1L)
                        : event("error")
                                .put(
                                        "error",
                                        Map.of(
                                                "ename",
                                                "CommandExecError",
                                                "evalue",
                                                "" + code,
                                                "traceback",
                                                List.of("exit status " + code))));
    }

    /** A line without its end is an event; an empty line is one of nothing but the end. */
    private CompletableFuture<Void> lines(BufferedReader from, String type, Events events) {
        return CompletableFuture.runAsync(
                () -> {
                    try (from) {
                        for (String line = from.readLine(); line != null; line = from.readLine()) {
                            events.send(event(type).put("text", line.isEmpty() ? "\n" : line));
                        }
                    } catch (IOException e) {
                        throw new CompletionException(e);
                    }
                },
                provider.threads);
    }

    private JsonObject.Builder event(String type) {
        return JsonObject.builder().put("type", type).put("timestamp", provider.nowMs());
    }

    private static JsonObject shown(Command command) {
        JsonObject.Builder shown = JsonObject.builder()
                .put("id", command.id)
                .put("content", command.text)
                .put("running", command.process.isAlive())
                .put("started_at", Instant.ofEpochMilli(command.startedMs).toString());
        if (!command.process.isAlive()) {
            shown.put("exit_code", (long) command.process.exitValue());
        }
        return shown.build();
    }

    /** The vendor calls it a stream of server-sent events, but what it sends is JSON with an empty line after each. */
    private static final class Events {
        private final HttpServerRequest request;
        private final HttpServerResponse response;
        private long left;

        Events(HttpServerRequest request, Faults.Cut cut) {
            this.request = request;
            response = request.response();
            left = cut.afterBytes();
            response.setChunked(true).putHeader("Content-Type", "text/event-stream");
        }

        synchronized void send(JsonObject.Builder event) throws IOException {
            Buffer bytes = Buffer.buffer(Json.write(event.build())).appendString("\n\n");
            left -= bytes.length();
            if (left < 0) {
                FakeProvider.cut(request.connection());
                throw new IOException("cut");
            }
            Line.await(response.write(bytes));
        }
    }

    // ---- files

    private Answer download(String path, FakeSandbox wall) throws IOException {
        Process process = wall.exec(List.of("cat", "--", path), wall.environment(), wall.home());
        byte[] bytes = process.getInputStream().readAllBytes();
        return FakeSandbox.exitOf(process) == 0
                ? Answer.of(200, bytes)
                : provider.refusal(404, "FILE_NOT_FOUND", "file not found");
    }

    /** Pairs of a part with the file's description and one with the file, both with a file name. */
    private void upload(HttpServerRequest request, Rented sandbox, Faults.Cut cut) {
        AtomicReference<Buffer> description = new AtomicReference<>(Buffer.buffer());
        List<CompletableFuture<Answer>> files = new ArrayList<>();
        request.setExpectMultipart(true).uploadHandler(part -> {
            if (part.name().equals("metadata")) {
                description.set(Buffer.buffer());
                part.handler(description.get()::appendBuffer);
            } else {
                files.add(written(part, description.get(), sandbox));
            }
        });
        request.endHandler(ended -> provider.threads.execute(() -> {
            Answer answer = files.isEmpty()
                    ? provider.refusal(400, "INVALID_FILE_CONTENT", "file is missing")
                    : Answer.of(200, "");
            for (CompletableFuture<Answer> file : files) {
                Answer one = file.join();
                answer = one.status() == 200 ? answer : one;
            }
            if (cut.equals(Faults.Cut.AT_ONCE)) {
                FakeProvider.cut(request.connection());
            } else {
                FakeProvider.send(request.response(), answer);
            }
        }));
    }

    private CompletableFuture<Answer> written(HttpServerFileUpload part, Buffer description, Rented sandbox) {
        byte[] described = description.getBytes();
        InputStream content = Pull.bytes(part);
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        JsonObject file = JsonObject.read(described);
                        String mode = "" + file.number("mode", 644);
                        return sandbox.wall().write(file.text("path", ""), mode, content)
                                ? Answer.of(200, "")
                                : provider.refusal(500, "RUNTIME_ERROR", "error copying file");
                    } catch (BrigException e) {
                        return provider.refusal(400, "INVALID_FILE_METADATA", "invalid metadata format");
                    } catch (IOException e) {
                        return provider.refusal(500, "RUNTIME_ERROR", "" + e.getMessage());
                    }
                },
                provider.threads);
    }
}
