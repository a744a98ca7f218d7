package brig.gateway.provider.opensandbox;

import brig.gateway.deploy.Processes;
import brig.gateway.deploy.ShellWords;
import brig.gateway.provider.http.ApiCall;
import brig.gateway.provider.http.ApiClient;
import brig.gateway.provider.http.Body;
import brig.gateway.provider.http.Lines;
import brig.gateway.provider.http.RemoteProgram;
import brig.protocol.Ids;
import brig.protocol.json.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Programs in one sandbox, each by one request to the daemon there, which ends a program whose request ends. It gives
 * programs no standard input, so that is a file, which is gone before the program begins.
 */
final class Execd {
    static final int PORT = 44772;
    /** Made by the daemon's own user, for the one that programs run as: the image may have no other than root. */
    private static final String HOME = "/var/lib/brig-sandbox";

    private static final int UID = 1000;
    private static final Map<String, String> ENVIRONMENT = Map.of(
            "HOME", HOME, "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG", "C.UTF-8");
    private static final long UPLOAD_MS = 600_000;
    /** The daemon's user owns what is uploaded. Who may not enter the home cannot get at it. */
    private static final int READABLE = 644;

    private static final int INPUT_BYTES_COUNTED = 64 * 1024;

    private final ApiClient api;
    private final Supplier<CompletionStage<Endpoint>> endpoint;
    private final String sandboxId;
    private final Set<String> homes;
    private final Executor loop;

    /** @param homes the ids of sandboxes that have their home; thread-safe */
    Execd(
            ApiClient api,
            Supplier<CompletionStage<Endpoint>> endpoint,
            String sandboxId,
            Set<String> homes,
            Executor loop) {
        this.api = api;
        this.endpoint = endpoint;
        this.sandboxId = sandboxId;
        this.homes = homes;
        this.loop = loop;
    }

    Processes.Running run(List<String> command, Processes.@Nullable Input input, Processes.Listener listener) {
        return RemoteProgram.start(
                program -> {
                    Endpoint daemon = ApiClient.await(endpoint.get());
                    if (!homes.contains(sandboxId)) {
                        make(daemon, program);
                    }
                    String file = input == null ? "" : HOME + "/.brig-input-" + Ids.newEpoch();
                    if (input != null) {
                        upload(daemon, input, file, program);
                    }
                    String line = "exec " + ShellWords.line(command);
                    program.handleStarted();
                    return follow(
                            daemon,
                            new OpenSandboxMessages.Command(
                                    input == null ? line : withInput(file) + line + " <&3 3<&-",
                                    HOME,
                                    UID,
                                    UID,
                                    ENVIRONMENT),
                            program);
                },
                listener,
                loop);
    }

    private static String withInput(String file) {
        return "exec 3<" + file + " || exit 1; rm -f " + file + "; ";
    }

    /** Makes the home, for whom programs run as. */
    private void make(Endpoint daemon, RemoteProgram program) throws IOException {
        String line = "mkdir -p " + HOME + " && chmod 700 " + HOME + " && chown " + UID + ":" + UID + " " + HOME;
        Integer code = follow(daemon, new OpenSandboxMessages.Command(line, "/", null, null, Map.of()), program);
        if (code == null || code != 0) {
            throw new IOException("the home of the sandbox could not be made");
        }
        homes.add(sandboxId);
    }

    private ApiCall call(Endpoint daemon, String path) {
        return ApiCall.of(daemon.at(), "POST", path).withoutKey().headers(daemon.headers());
    }

    /** @return the exit code; null if the answer ended before */
    private @Nullable Integer follow(Endpoint daemon, OpenSandboxMessages.Command command, RemoteProgram program)
            throws IOException {
        CommandEvents events = new CommandEvents(program);
        Lines lines = new Lines(events);
        ApiClient.Sending sending = api.begin(
                call(daemon, "/command").body(Body.json(command)).output(lines).within(0));
        program.handleStep(sending::cancel);
        try {
            ApiClient.await(sending.answer());
        } catch (IOException e) {
            if (events.exit() == null) {
                throw e;
            }
        }
        lines.finish();
        return events.exit();
    }

    private void upload(Endpoint daemon, Processes.Input input, String file, RemoteProgram program) throws IOException {
        String border = "brig-" + Ids.newEpoch() + Ids.newEpoch();
        byte[] head = ("--" + border + "\r\n"
                        + "Content-Disposition: form-data; name=\"metadata\"; filename=\"metadata\"\r\n"
                        + "Content-Type: application/json\r\n\r\n"
                        + new String(Json.write(new OpenSandboxMessages.Upload(file, READABLE)), StandardCharsets.UTF_8)
                        + "\r\n--" + border + "\r\n"
                        + "Content-Disposition: form-data; name=\"file\"; filename=\"input\"\r\n"
                        + "Content-Type: application/octet-stream\r\n\r\n")
                .getBytes(StandardCharsets.UTF_8);
        byte[] end = ("\r\n--" + border + "--\r\n").getBytes(StandardCharsets.US_ASCII);
        long bytes = length(input);
        Body body = new Body(
                "multipart/form-data; boundary=" + border,
                head.length + bytes + end.length,
                () -> new SequenceInputStream(Collections.enumeration(
                        List.of(new ByteArrayInputStream(head), input.open(), new ByteArrayInputStream(end)))),
                sent -> program.handleSent(Math.clamp(sent - head.length, 0, bytes)));
        ApiClient.Sending sending =
                api.begin(call(daemon, "/files/upload").body(body).within(UPLOAD_MS));
        program.handleStep(sending::cancel);
        ApiClient.await(sending.answer());
    }

    private static long length(Processes.Input input) throws IOException {
        long bytes = 0;
        byte[] chunk = new byte[INPUT_BYTES_COUNTED];
        try (InputStream from = input.open()) {
            for (int read = from.read(chunk); read >= 0; read = from.read(chunk)) {
                bytes += read;
            }
        }
        return bytes;
    }
}
