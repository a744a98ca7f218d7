package brig.cli.install;

import static java.nio.charset.StandardCharsets.US_ASCII;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.HttpRequest;
import brig.protocol.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Asks a gateway to stop and to leave its workers to the next one. */
public final class HandOver {
    private static final int HEAD_BYTES_MAX = 4096;

    private HandOver() {}

    /**
     * @param socket its Unix socket of HTTP
     * @throws IOException if nobody listens
     */
    public static void ask(Path socket) throws IOException {
        byte[] body = Json.write(new HttpRequest.Shutdown(0, true));
        String head = "POST /api/v1/shutdown HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + "Content-Type: application/json\r\nContent-Length: " + body.length + "\r\n\r\n";
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            channel.write(ByteBuffer.wrap(head.getBytes(US_ASCII)));
            channel.write(ByteBuffer.wrap(body));
            InputStream answer = Channels.newInputStream(channel);
            String said = new String(answer.readNBytes(HEAD_BYTES_MAX), US_ASCII);
            if (!said.startsWith("HTTP/1.1 202")) {
                throw new BrigException(
                        ErrorCode.FORBIDDEN,
                        "the gateway on " + socket + " does not hand over: "
                                + said.lines().findFirst().orElse("no answer"));
            }
        }
    }
}
