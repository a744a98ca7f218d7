package brig.gateway.provider.sprites;

import brig.gateway.deploy.Processes;
import brig.gateway.provider.http.ApiCall;
import brig.gateway.provider.http.ApiClient;
import brig.gateway.provider.http.Body;
import brig.gateway.provider.http.Location;
import brig.gateway.provider.http.RemoteProgram;
import brig.gateway.provider.websocket.WebSocket;
import brig.protocol.BrigException;
import brig.protocol.Ids;
import brig.protocol.Reason;
import brig.protocol.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Programs in one sprite, each over a WebSocket. A file for standard input is brought there first: what is written to a
 * WebSocket is acknowledged by nobody, and files are what may be long. Anything else goes over the WebSocket, since it may
 * be a secret.
 */
final class SpriteExec {
    private static final Logger log = LoggerFactory.getLogger(SpriteExec.class);
    private static final String HOME = "/home/sprite";
    /** What is given replaces what there would be. */
    private static final List<String> ENVIRONMENT = List.of(
            "HOME=" + HOME,
            "PATH=" + HOME + "/.local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "LANG=C.UTF-8");

    /** The file is gone before the program begins. */
    private static final String WITH_INPUT = "exec 3<\"$1\" || exit 1; rm -f -- \"$1\"; shift; exec \"$@\" <&3 3<&-";

    private static final int CHUNK = 64 * 1024;
    private static final long UPLOAD_MS = 600_000;
    private static final byte STDIN = 0;
    private static final byte STDOUT = 1;
    private static final byte STDERR = 2;
    private static final byte EXIT = 3;
    private static final byte END_OF_STDIN = 4;

    private final ApiClient api;
    private final String path;
    private final Executor loop;

    /** @param path of the sprite, encoded */
    SpriteExec(ApiClient api, String path, Executor loop) {
        this.api = api;
        this.path = path;
        this.loop = loop;
    }

    Processes.Running run(List<String> command, Processes.@Nullable Input input, Processes.Listener listener) {
        return RemoteProgram.start(
                program -> {
                    if (!(input instanceof Processes.Input.OfFile file)) {
                        return exec(command, input, program);
                    }
                    String there = HOME + "/.brig-input-" + Ids.newEpoch();
                    upload(file, there, program);
                    List<String> words = new ArrayList<>(List.of("sh", "-c", WITH_INPUT, "sh", there));
                    words.addAll(command);
                    return exec(words, null, program);
                },
                listener,
                loop);
    }

    private void upload(Processes.Input.OfFile input, String there, RemoteProgram program) throws IOException {
        long bytes = Files.size(input.file());
        // Nobody says as whom the file is written; the program must be able to read it.
        ApiCall put = ApiCall.of(
                        api.server(),
                        "PUT",
                        path + "/fs/write?path=" + Location.encoded(there)
                                + "&workingDir=%2F&mkdirParents=true&mode=0644")
                .body(new Body("application/octet-stream", bytes, input::open, program::handleSent))
                .within(UPLOAD_MS);
        ApiClient.Sending sending = api.begin(put);
        program.handleStep(sending::cancel);
        ApiClient.await(sending.answer());
    }

    private @Nullable Integer exec(List<String> command, Processes.@Nullable Input input, RemoteProgram program)
            throws IOException {
        String query =
                command.stream().map(word -> "cmd=" + Location.encoded(word)).collect(Collectors.joining("&"))
                        + "&path=" + Location.encoded(command.getFirst())
                        + ENVIRONMENT.stream()
                                .map(word -> "&env=" + Location.encoded(word))
                                .collect(Collectors.joining())
                        + "&dir=" + Location.encoded(HOME)
                        // It is ended soon after its connection.
                        + "&max_run_after_disconnect=1s&stdin=" + (input != null);
        try (WebSocket socket = api.webSocket(ApiCall.of(api.server(), "GET", path + "/exec?" + query))) {
            program.handleStarted();
            program.handleStep(socket::close);
            if (input != null) {
                Thread.startVirtualThread(() -> send(input, socket, program));
            }
            return follow(socket, program);
        }
    }

    private static void send(Processes.Input input, WebSocket socket, RemoteProgram program) {
        long sent = 0;
        byte[] message = new byte[CHUNK];
        message[0] = STDIN;
        try (InputStream from = input.open()) {
            for (int read = from.read(message, 1, CHUNK - 1); read >= 0; read = from.read(message, 1, CHUNK - 1)) {
                socket.binary(Arrays.copyOf(message, read + 1));
                sent += read;
                program.handleSent(sent);
            }
            socket.binary(new byte[] {END_OF_STDIN});
        } catch (IOException e) {
            // The program's own end says more.
            log.debug("a program in a sprite reads no more: {}", Reason.of(e));
        }
    }

    /** @return the exit code; null if the connection ended before */
    private static @Nullable Integer follow(WebSocket socket, RemoteProgram program) throws IOException {
        while (true) {
            WebSocket.Message message = socket.read();
            if (message == null) {
                return null;
            }
            byte[] bytes = message.bytes();
            if (message.text()) {
                Integer code = exit(bytes);
                if (code != null) {
                    return code;
                }
            } else if (bytes.length > 0) {
                byte[] content = Arrays.copyOfRange(bytes, 1, bytes.length);
                switch (bytes[0]) {
                    case STDOUT -> program.addOutput(content);
                    case STDERR -> program.addError(content);
                    case EXIT -> {
                        return content.length == 0 ? 0 : content[0] & 0xff;
                    }
                    default -> log.debug("a message of kind {} of a program in a sprite is not known", bytes[0]);
                }
            }
        }
    }

    private static @Nullable Integer exit(byte[] json) {
        try {
            SpriteMessages.Exit exit = Json.read(json, SpriteMessages.Exit.class);
            return "exit".equals(exit.type()) ? (int) (exit.exitCode() & 0xff) : null;
        } catch (BrigException e) {
            return null;
        }
    }
}
