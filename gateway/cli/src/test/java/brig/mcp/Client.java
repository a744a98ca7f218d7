package brig.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.captain.RpcReader;
import brig.captain.ScriptedGateway;
import brig.protocol.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An agent at the server's other end, line by line. */
final class Client implements AutoCloseable {
    static final String MODERN =
            "'_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28','io.modelcontextprotocol/clientCapabilities':{}}";
    private static final long SECONDS_MAX = 20;

    final ScriptedGateway gateway = new ScriptedGateway();
    final ManualTicks ticks = new ManualTicks();
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final McpServer server;
    private final RpcReader reader;

    Client() {
        this(Path.of("/nowhere"));
    }

    Client(Path folder) {
        OutputStream out = new ByteArrayOutputStream() {
            @Override
            public void flush() {
                lines.add(toString(UTF_8));
                reset();
            }
        };
        server = new McpServer(new McpOptions(folder, "1"), gateway, out, sentence -> {}, ticks);
        reader = new RpcReader(server);
    }

    /** A client of the era before 2026-07-28, after its greeting. */
    static Client greeted() throws InterruptedException {
        Client client = new Client();
        client.write("{'jsonrpc':'2.0','id':0,'method':'initialize','params':{'protocolVersion':'2025-06-18'}}");
        client.read();
        return client;
    }

    void write(String json) {
        write(json.replace('\'', '"').getBytes(UTF_8));
    }

    void write(byte[] line) {
        reader.handleLine(line, 0, line.length);
    }

    RpcReader reader() {
        return reader;
    }

    void call(long id, String tool, String arguments) {
        write("{'jsonrpc':'2.0','id':" + id + ",'method':'tools/call','params':{'_meta':{'progressToken':'p'},'name':'"
                + tool + "','arguments':" + arguments + "}}");
    }

    String readLine() throws InterruptedException {
        String line = lines.poll(SECONDS_MAX, TimeUnit.SECONDS);
        if (line == null) {
            throw new AssertionError("the server says nothing");
        }
        return line;
    }

    JsonObject read() throws InterruptedException {
        return JsonObject.read(readLine().getBytes(UTF_8));
    }

    /** A block of the next result: 0 has the facts. */
    String block(int index) throws InterruptedException {
        return read().object("result").objects("content").get(index).text("text", "");
    }

    JsonObject facts() throws InterruptedException {
        return JsonObject.read(block(0).getBytes(UTF_8));
    }

    @Override
    public void close() {
        server.close();
    }
}
