package brig.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.json.Json;
import brig.protocol.refusal.ProblemDetails;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * A gateway reached over HTTP: {@code BRIG_HOST} is its URL, {@code BRIG_TOKEN}, or the file named by {@code
 * BRIG_TOKEN_FILE}, has the token. A token is sent over TLS only, or to this host.
 *
 * <p>Decision 0118.
 */
record RemoteGateway(URI uri, String token) {
    private static final String PROTOCOL = "brig.spawner.v1";
    private static final int HEAD_BYTES_MAX = 16 * 1024;
    private static final int HTTPS = 443;
    private static final int HTTP = 80;

    /** The gateway named by the environment; null for none. @throws BrigException for an invalid one */
    static @Nullable RemoteGateway named(Map<String, String> environment) {
        String host = environment.getOrDefault("BRIG_HOST", "");
        return host.isEmpty() ? null : new RemoteGateway(uri(host), token(environment));
    }

    private static URI uri(String host) {
        try {
            URI uri = new URI(host);
            boolean known = "https".equals(uri.getScheme()) || "http".equals(uri.getScheme());
            if (!known
                    || uri.getHost() == null
                    || uri.getUserInfo() != null
                    || uri.getQuery() != null
                    || uri.getFragment() != null) {
                throw BrigException.invalid("BRIG_HOST", "must be such as https://brig.example.org");
            }
            return uri;
        } catch (URISyntaxException e) {
            throw BrigException.invalid("BRIG_HOST", "must be such as https://brig.example.org");
        }
    }

    private static String token(Map<String, String> environment) {
        String file = environment.getOrDefault("BRIG_TOKEN_FILE", "");
        String token = environment.getOrDefault("BRIG_TOKEN", "");
        if (!file.isEmpty()) {
            try {
                token = Files.readString(Path.of(file), US_ASCII).strip();
            } catch (IOException e) {
                throw BrigException.invalid("BRIG_TOKEN_FILE", "cannot be read: " + Reason.of(e));
            }
        }
        if (!token.matches("[!-~]{1,512}")) {
            throw BrigException.invalid(
                    "BRIG_TOKEN",
                    "or BRIG_TOKEN_FILE must have a token, with BRIG_HOST: 'brig token create --role captain"
                            + " --captain NAME' makes one on the gateway's host");
        }
        return token;
    }

    private boolean isTls() {
        return "https".equals(uri.getScheme());
    }

    /** The same page at the gateway's address for this user. */
    String reachable(String url) {
        URI own = URI.create(url);
        return base() + own.getRawPath() + (own.getRawFragment() == null ? "" : "#" + own.getRawFragment());
    }

    private String base() {
        String text = uri.toString();
        return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    }

    /**
     * Opens a connection with the protocol of the spawner socket.
     *
     * @throws BrigException as the gateway refuses it
     * @throws IOException if nobody, or something else, answers
     */
    ByteLink dial() throws IOException {
        int port = uri.getPort() > 0 ? uri.getPort() : isTls() ? HTTPS : HTTP;
        String host = uri.getHost().replaceAll("[\\[\\]]", "");
        InetAddress address = InetAddress.getByName(host);
        if (!isTls() && !address.isLoopbackAddress()) {
            throw BrigException.invalid("BRIG_HOST", "must be https:// for another host, for a token goes along");
        }
        ByteLink link =
                isTls() ? tls(host, port) : ByteLink.of(SocketChannel.open(new InetSocketAddress(address, port)));
        try {
            upgrade(link);
            return link;
        } catch (IOException | RuntimeException e) {
            link.close();
            throw e;
        }
    }

    private static ByteLink tls(String host, int port) throws IOException {
        SSLSocket socket = (SSLSocket) SSLSocketFactory.getDefault().createSocket(host, port);
        try {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            return ByteLink.of(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private void upgrade(ByteLink link) throws IOException {
        String path = URI.create(base()).getRawPath() + "/api/v1/spawner";
        String head = "GET " + path + " HTTP/1.1\r\nHost: " + uri.getRawAuthority()
                + "\r\nConnection: Upgrade\r\nUpgrade: " + PROTOCOL + "\r\nAuthorization: Bearer " + token + "\r\n\r\n";
        ByteBuffer bytes = ByteBuffer.wrap(head.getBytes(US_ASCII));
        while (bytes.hasRemaining()) {
            link.write(bytes);
        }
        List<String> answer = readHead(link);
        if (!answer.getFirst().startsWith("HTTP/1.1 101 ")) {
            refuse(link, answer);
        }
    }

    /** Byte by byte: the following bytes are not HTTP. */
    private static List<String> readHead(ByteLink link) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        ByteBuffer one = ByteBuffer.allocate(1);
        while (!head.toString(US_ASCII).endsWith("\r\n\r\n")) {
            if (head.size() > HEAD_BYTES_MAX || link.read(one.clear()) <= 0) {
                throw new IOException("what answers there is no gateway of Brig");
            }
            head.write(one.get(0));
        }
        return head.toString(US_ASCII).lines().toList();
    }

    private static void refuse(ByteLink link, List<String> head) throws IOException {
        if (!header(head, "content-type").equals("application/problem+json")) {
            throw new IOException("it answers '" + head.getFirst() + "', and a gateway would upgrade to " + PROTOCOL);
        }
        String length = header(head, "content-length");
        ByteBuffer body = ByteBuffer.allocate(length.matches("\\d{1,5}") ? Integer.parseInt(length) : 0);
        int read = 0;
        while (body.hasRemaining() && read >= 0) {
            read = link.read(body);
        }
        ProblemDetails problem = Json.read(body.array(), 0, body.position(), ProblemDetails.class);
        throw new BrigException(ErrorCode.valueOf(problem.code()), problem.detail());
    }

    private static String header(List<String> head, String name) {
        return head.stream()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ":"))
                .findFirst()
                .map(line -> line.substring(name.length() + 1).strip())
                .orElse("");
    }
}
