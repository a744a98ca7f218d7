package brig.loadtests;

import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A connection to a worker-agent as a gateway has it (the package documentation of {@code brig.workeragent.link} describes
 * the protocol): what is measured is the wall, without the gateway's part. One request at a time.
 */
final class WorkerAgentWire implements AutoCloseable {
    private final SocketChannel channel;
    private final BufferedReader lines;
    private long requests;

    private WorkerAgentWire(String socket) throws IOException {
        channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(socket));
        lines = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
    }

    static WorkerAgentWire control(String socket) throws IOException {
        return new WorkerAgentWire(socket);
    }

    /** The stream of one worker, from its first frame on. */
    static WorkerAgentWire worker(String socket) throws IOException {
        WorkerAgentWire wire = new WorkerAgentWire(socket);
        wire.send(Map.of("resume", 1L));
        return wire;
    }

    /** Sends a request and waits for what it answers. @throws IOException a refusal, with its code */
    Fields ask(String operation, Map<String, ?> fields) throws IOException {
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("id", ++requests);
        request.put("op", operation);
        request.putAll(fields);
        send(request);
        Fields answer = line();
        if (!answer.has("ok")) {
            throw new IOException(
                    operation + " was refused: " + answer.text("error", "") + " (" + answer.text("code", "") + ")");
        }
        return answer.object("ok");
    }

    void send(Map<String, ?> line) throws IOException {
        ByteBuffer rest = ByteBuffer.wrap(Json.writeLine(line));
        while (rest.hasRemaining()) {
            channel.write(rest);
        }
    }

    /** The next line. @throws IOException at the end of the connection too */
    Fields line() throws IOException {
        String line = lines.readLine();
        if (line == null) {
            throw new IOException("the worker-agent closed the connection");
        }
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        return new Fields(Json.parseObject(bytes, 0, bytes.length));
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
