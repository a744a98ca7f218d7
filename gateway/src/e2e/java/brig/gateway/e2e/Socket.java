package brig.gateway.e2e;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A WebSocket of the JDK's client; its messages as lines. */
final class Socket implements Source, WebSocket.Listener {
    private static final String END = "";

    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final StringBuilder partial = new StringBuilder();
    private volatile int closeCode;
    private WebSocket socket;

    private Socket() {}

    static Socket open(HttpClient client, URI uri, String token) {
        Socket opened = new Socket();
        WebSocket.Builder builder = client.newWebSocketBuilder().subprotocols("brig.v1");
        if (!token.isEmpty()) {
            builder.header("Authorization", "Bearer " + token);
        }
        opened.socket = builder.buildAsync(uri, opened)
                .orTimeout(Await.DEADLINE_SECONDS, TimeUnit.SECONDS)
                .join();
        return opened;
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        partial.append(data);
        if (last) {
            partial.toString().lines().forEach(lines::add);
            partial.setLength(0);
        }
        from.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
        closeCode = code;
        lines.add(END);
        return null;
    }

    @Override
    public void onError(WebSocket from, Throwable failure) {
        lines.add(END);
    }

    Socket sendLine(String line) {
        socket.sendText(line, true)
                .orTimeout(Await.DEADLINE_SECONDS, TimeUnit.SECONDS)
                .join();
        return this;
    }

    @Override
    public String line() {
        try {
            String line = lines.poll(Await.DEADLINE_SECONDS, TimeUnit.SECONDS);
            if (line == null) {
                throw new AssertionError("no message within " + Await.DEADLINE_SECONDS + " s");
            }
            return line.equals(END) ? null : line;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The close code that Brig gave, once the lines have ended. */
    int closeCode() {
        return closeCode;
    }

    @Override
    public void close() {
        socket.abort();
    }
}
