package brig.gateway.e2e.provider;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import io.vertx.core.http.WebSocketFrame;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** The WebSockets of a sprite: commands, and connections to its ports. */
final class SpriteSockets {
    private static final int STDIN = 0;
    private static final int STDOUT = 1;
    private static final int STDERR = 2;
    private static final int EXIT = 3;
    private static final int END_OF_STDIN = 4;
    private static final int PIECE_BYTES = 32 * 1024;
    /** So long the vendor's server holds the connection after the command has ended. */
    private static final long HELD_MS = 5_000;

    private static final long RUN_AFTER_DISCONNECT_MS = 10_000;

    private final FakeProvider provider;

    SpriteSockets(FakeProvider provider) {
        this.provider = provider;
    }

    void begin(Call call, Rented sprite, Faults.Cut cut) {
        call.request().toWebSocket().onSuccess(socket -> {
            Line line = new Line(provider, socket, call.request().connection(), cut);
            provider.threads.execute(() -> {
                try {
                    if (call.part(3).equals("exec")) {
                        exec(call, sprite.wall(), line);
                    } else {
                        proxy(sprite.wall(), line);
                    }
                } catch (IOException | BrigException e) {
                    line.close(1011);
                }
            });
        });
    }

    // ---- exec

    private void exec(Call call, FakeSandbox wall, Line line) throws IOException {
        List<String> command = call.request().params().getAll("cmd");
        if (command.isEmpty() || call.query("tty", "false").equals("true")) {
            throw new IOException("a command without a terminal is all that this one knows");
        }
        // What is given replaces what there would be.
        Map<String, String> environment = new LinkedHashMap<>();
        call.request()
                .params()
                .getAll("env")
                .forEach(pair ->
                        environment.put(pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1)));
        Process process = wall.exec(
                command, environment.isEmpty() ? wall.environment() : environment, call.query("dir", wall.home()));
        if (!call.query("stdin", "false").equals("true")) {
            process.getOutputStream().close();
        }
        CompletableFuture<Void> out = copied(process.getInputStream(), STDOUT, line);
        CompletableFuture<Void> err = copied(process.getErrorStream(), STDERR, line);
        provider.threads.execute(() -> takeStdin(call, process, line));
        try {
            line.send(new String(
                    Json.write(JsonObject.builder()
                            .put("type", "session_info")
                            .put("session_id", process.pid())
                            .put("command", command.getFirst())
                            .put("created", provider.nowMs() / 1000)
                            .put("is_owner", true)
                            .put("tty", false)
                            .build()),
                    UTF_8));
            out.join();
            err.join();
            line.send(new byte[] {EXIT, (byte) FakeSandbox.exitOf(process)}, 0, 2);
            provider.later(HELD_MS, () -> line.close(1000));
        } catch (IOException | CompletionException clientIsGone) {
            provider.later(runAfterDisconnectMs(call), () -> FakeSandbox.end(process));
        }
    }

    private static long runAfterDisconnectMs(Call call) {
        String text = call.query("max_run_after_disconnect", "");
        return text.matches("[1-9]\\d{0,5}s")
                ? Long.parseLong(text.substring(0, text.length() - 1)) * 1000
                : RUN_AFTER_DISCONNECT_MS;
    }

    /** Copies to the client; once it is gone, to nowhere, so that the command never waits. */
    private CompletableFuture<Void> copied(InputStream from, int kind, Line line) {
        return CompletableFuture.runAsync(
                () -> {
                    byte[] piece = new byte[PIECE_BYTES];
                    piece[0] = (byte) kind;
                    IOException gone = null;
                    try (from) {
                        for (int length = from.read(piece, 1, PIECE_BYTES - 1);
                                length >= 0;
                                length = from.read(piece, 1, PIECE_BYTES - 1)) {
                            try {
                                if (gone == null) {
                                    line.send(piece, 0, length + 1);
                                }
                            } catch (IOException e) {
                                gone = e;
                            }
                        }
                    } catch (IOException e) {
                        gone = e;
                    }
                    if (gone != null) {
                        throw new CompletionException(gone);
                    }
                },
                provider.threads);
    }

    private void takeStdin(Call call, Process process, Line line) {
        OutputStream stdin = process.getOutputStream();
        int kind = END_OF_STDIN;
        try {
            for (Optional<WebSocketFrame> next = line.next(); next.isPresent(); next = line.next()) {
                WebSocketFrame frame = next.get();
                boolean begins = !frame.isContinuation();
                if (frame.isText()) {
                    signal(process, frame.textData());
                    continue;
                }
                if (frame.binaryData().length() == 0) {
                    continue;
                }
                if (begins) {
                    kind = frame.binaryData().getByte(0);
                }
                if (kind == END_OF_STDIN) {
                    stdin.close();
                } else if (kind == STDIN) {
                    line.receive(frame.binaryData(), begins ? 1 : 0, stdin);
                }
            }
        } catch (IOException ended) {
            // The command does not read any more, or the client is gone; what it writes ends by itself.
        }
        provider.later(runAfterDisconnectMs(call), () -> FakeSandbox.end(process));
    }

    private static void signal(Process process, String text) {
        JsonObject message = JsonObject.read(text.getBytes(UTF_8));
        if (message.text("type", "").equals("signal")) {
            boolean kills = message.text("signal", "").endsWith("KILL");
            process.descendants().forEach(kills ? ProcessHandle::destroyForcibly : ProcessHandle::destroy);
        }
    }

    // ---- proxy

    private void proxy(FakeSandbox wall, Line line) throws IOException {
        Optional<WebSocketFrame> first = line.next();
        if (first.isEmpty() || !first.get().isText()) {
            throw new IOException("the first message must be text");
        }
        JsonObject wanted = JsonObject.read(first.get().textData().getBytes(UTF_8));
        int port = (int) wanted.number("port", 0);
        String target = wanted.text("host", "localhost") + ":" + port;
        if (!List.of("localhost", "127.0.0.1").contains(wanted.text("host", "localhost"))) {
            throw new IOException("there is no way to " + target);
        }
        Process connection;
        try {
            connection = wall.dial(port);
        } catch (IOException e) {
            line.send(status("error", target));
            throw e;
        }
        try {
            line.send(status("connected", target));
            provider.threads.execute(() -> fromClient(connection, line));
            byte[] piece = new byte[PIECE_BYTES];
            InputStream from = connection.getInputStream();
            for (int length = from.read(piece); length >= 0; length = from.read(piece)) {
                line.send(piece, 0, length);
            }
            line.close(1000);
        } catch (IOException clientIsGone) {
            // What it sent before still arrives, as it would over TCP; what comes back has nowhere to go.
            connection.getInputStream().transferTo(OutputStream.nullOutputStream());
        } finally {
            connection.getInputStream().close();
        }
    }

    private static String status(String status, String target) {
        return new String(Json.write(JsonObject.of(Map.of("status", status, "target", target))), UTF_8);
    }

    private static void fromClient(Process connection, Line line) {
        try (OutputStream to = connection.getOutputStream()) {
            for (Optional<WebSocketFrame> next = line.next(); next.isPresent(); next = line.next()) {
                line.receive(next.get().binaryData(), 0, to);
            }
        } catch (IOException ended) {
            // The far end reads no more.
        }
    }
}
