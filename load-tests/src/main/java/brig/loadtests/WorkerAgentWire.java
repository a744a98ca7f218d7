package brig.loadtests;

import brig.protocol.control.ControlAnswer;
import brig.protocol.control.ControlCall;
import brig.protocol.control.ControlRequest;
import brig.protocol.control.LinkPurpose;
import brig.protocol.control.Message;
import brig.protocol.control.WorkerLine;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.Json;
import brig.protocol.spawn.SpawnRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A worker-agent connection with the gateway's protocol (see {@code brig.protocol.control}), which measures the wall
 * without the gateway. One request at a time.
 */
final class WorkerAgentWire implements AutoCloseable {
    private static final SpawnRequest.Asker ASKER = new SpawnRequest.Asker("load-tests", true);

    private final String socket;
    private final SocketChannel channel;
    private final BufferedReader lines;
    private long requests;

    private WorkerAgentWire(String socket) throws IOException {
        this.socket = socket;
        channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(socket));
        lines = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
    }

    static WorkerAgentWire control(String socket) throws IOException {
        WorkerAgentWire wire = new WorkerAgentWire(socket);
        wire.send(new LinkPurpose.Control());
        return wire;
    }

    /** The stream of one worker, from its first frame on. */
    static WorkerAgentWire worker(String socket, String spawnId) throws IOException {
        WorkerAgentWire wire = new WorkerAgentWire(socket);
        wire.send(new LinkPurpose.Worker(spawnId, 1));
        return wire;
    }

    String socket() {
        return socket;
    }

    /** Starts a worker of the agent. */
    void spawn(String spawnId, String agent, String prompt, @Nullable String policy) throws IOException {
        SpawnRequest request = new SpawnRequest(
                null,
                null,
                new SpawnRequest.AgentConfig(agent, null, List.of(), null),
                prompt,
                false,
                policy,
                SpawnRequest.WorkspaceMode.FOLDER,
                null,
                false,
                SpawnRequest.Claim.NONE,
                SpawnRequest.Bounds.NONE,
                SpawnRequest.Continuation.NEW,
                null);
        ask(new ControlRequest.Spawn(spawnId, request, ASKER));
    }

    void terminate(String spawnId) throws IOException {
        ask(new ControlRequest.Terminate(spawnId, null, false));
    }

    /** Sends a request and waits for its answer. @throws IOException for a refusal, with its code */
    private ControlAnswer ask(ControlRequest request) throws IOException {
        send(new ControlCall(++requests, request));
        ControlAnswer answer = read(ControlAnswer.class);
        if (answer.refusal() != null) {
            throw new IOException(request + " was refused: " + answer.refusal().error() + " ("
                    + answer.refusal().code() + ")");
        }
        return answer;
    }

    /** A message of a captain. */
    void say(String content) throws IOException {
        send(WorkerLine.input(new Message(content, null, null, null)));
    }

    /** Acknowledges every frame up to that one. */
    void acknowledge(NumberedFrame frame) throws IOException {
        send(WorkerLine.ack(frame.seq()));
    }

    /** The next frame of a worker. @throws IOException also at the end of the connection */
    NumberedFrame frame() throws IOException {
        return read(NumberedFrame.class);
    }

    private void send(Record line) throws IOException {
        ByteBuffer rest = ByteBuffer.wrap(Json.writeLine(line));
        while (rest.hasRemaining()) {
            channel.write(rest);
        }
    }

    private <T> T read(Class<T> type) throws IOException {
        String line = lines.readLine();
        if (line == null) {
            throw new IOException("the worker-agent closed the connection");
        }
        return Json.read(line.getBytes(StandardCharsets.UTF_8), type);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
