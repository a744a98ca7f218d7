package brig.gateway.provider.websocket;

import brig.gateway.joint.FarEnd;
import brig.protocol.VisibleText;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Turns a connection to a server into a link: {@code GET} with {@code Upgrade: brig-link}, then bytes. */
public final class LinkUpgrade {
    private static final int HEAD_BYTES_MAX = 8 * 1024;
    private static final String GOOD = "HTTP/1.1 101 ";
    private static final int SHOWN_MAX = 60;

    private LinkUpgrade() {}

    /** Reads no byte behind the head of the answer. @throws IOException if the server refuses, in words for people */
    public static void of(FarEnd connection, String host, String path, Map<String, String> headers) throws IOException {
        StringBuilder head = new StringBuilder(
                "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: Upgrade\r\nUpgrade: brig-link\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        connection.output().write(head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII));
        connection.output().flush();
        String first = head(connection.input()).lines().findFirst().orElse("");
        if (!first.startsWith(GOOD)) {
            throw new IOException("the server in the sandbox refuses: "
                    + VisibleText.of(first.substring(0, Math.min(first.length(), SHOWN_MAX))));
        }
    }

    private static String head(InputStream from) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        int ends = 0;
        while (ends < 4) {
            int read = from.read();
            if (read < 0) {
                throw new EOFException("the server in the sandbox said nothing");
            }
            if (head.size() == HEAD_BYTES_MAX) {
                throw new IOException("the server in the sandbox answers with a head without an end");
            }
            head.write(read);
            ends = read == (ends % 2 == 0 ? '\r' : '\n') ? ends + 1 : read == '\r' ? 1 : 0;
        }
        return head.toString(StandardCharsets.ISO_8859_1);
    }
}
