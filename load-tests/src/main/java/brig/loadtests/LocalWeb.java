package brig.loadtests;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * A web server on loopback, plain and with TLS: {@code /small} is a short answer, {@code /large?N} one of N bytes, {@code
 * /v1/messages} one of a model.
 */
final class LocalWeb implements AutoCloseable {
    private static final String PASSWORD = "changeit";
    private static final int PIECE_BYTES = 64 * 1024;
    private static final byte[] OF_MODEL =
            "{\"usage\":{\"input_tokens\":100,\"output_tokens\":10}}".getBytes(StandardCharsets.UTF_8);

    private final Path folder;
    private final HttpServer plain;
    private final HttpsServer tls;
    // Platform threads: virtual ones would share carriers with the measured code.
    private final ExecutorService threads = Executors.newCachedThreadPool();

    private LocalWeb(Path folder) throws IOException, GeneralSecurityException, InterruptedException {
        this.folder = Files.createDirectories(folder);
        // Otherwise each answer waits for an acknowledgement that comes 40 ms later.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        plain = HttpServer.create(anyPort, 0);
        tls = HttpsServer.create(anyPort, 0);
        tls.setHttpsConfigurator(new HttpsConfigurator(context()));
        for (HttpServer server : List.of(plain, tls)) {
            server.createContext("/small", exchange -> answer(exchange, "hello\n".getBytes(StandardCharsets.UTF_8), 6));
            server.createContext("/v1/messages", LocalWeb::answerAsModel);
            server.createContext(
                    "/large",
                    exchange -> answer(
                            exchange,
                            new byte[PIECE_BYTES],
                            Long.parseLong(exchange.getRequestURI().getQuery())));
            server.setExecutor(threads);
            server.start();
        }
    }

    /** @param folder for its key */
    static LocalWeb start(Path folder) throws IOException, GeneralSecurityException, InterruptedException {
        return new LocalWeb(folder);
    }

    private static void answerAsModel(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().readAllBytes();
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        answer(exchange, OF_MODEL, OF_MODEL.length);
    }

    private static void answer(HttpExchange exchange, byte[] piece, long length) throws IOException {
        exchange.sendResponseHeaders(200, length);
        try (OutputStream body = exchange.getResponseBody()) {
            for (long left = length; left > 0; left -= piece.length) {
                body.write(piece, 0, (int) Math.min(left, piece.length));
            }
        }
    }

    private SSLContext context() throws IOException, GeneralSecurityException, InterruptedException {
        String store = folder.resolve("server.p12").toString();
        keytool(
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-dname",
                "CN=fast.test",
                "-ext",
                "san=dns:fast.test",
                "-ext",
                "bc:c",
                "-validity",
                "2",
                "-keystore",
                store);
        keytool(
                "-exportcert",
                "-rfc",
                "-alias",
                "server",
                "-keystore",
                store,
                "-file",
                authority().toString());
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream input = Files.newInputStream(Path.of(store))) {
            keys.load(input, PASSWORD.toCharArray());
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    private static void keytool(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin/keytool").toString(),
                "-J-XX:+UseSerialGC",
                "-J-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-storepass", PASSWORD));
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (keytool.waitFor() != 0) {
            throw new IOException("keytool: " + said);
        }
    }

    int port(boolean encrypted) {
        return (encrypted ? tls : plain).getAddress().getPort();
    }

    /** The certificate of its authority, in PEM. */
    Path authority() {
        return folder.resolve("authority.pem");
    }

    @Override
    public void close() {
        plain.stop(0);
        tls.stop(0);
        threads.close();
    }
}
