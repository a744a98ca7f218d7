package brig.workeragent;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * The outside, as far as tests need one: a server for HTTP and one for HTTPS on loopback, with a page, a redirect, a git
 * repository and a package of npm. Its certificate is of an authority of its own.
 */
final class TestWeb implements AutoCloseable {
    private static final char[] PASSWORD = "secret".toCharArray();

    final HttpServer plain;
    final HttpsServer tls;
    /** What arrived: the host that was asked for, and the request line. */
    final Queue<String> requests = new ConcurrentLinkedQueue<>();
    /** Every Authorization that arrived. */
    final Queue<String> authorizations = new ConcurrentLinkedQueue<>();

    private final Path folder;
    private final List<String> names;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final byte[] tarball;

    /** @param names of the certificate */
    TestWeb(Path folder, String... names) throws Exception {
        this.folder = Files.createDirectories(folder);
        this.names = List.of(names);
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        plain = HttpServer.create(anyPort, 0);
        tls = HttpsServer.create(anyPort, 0);
        tls.setHttpsConfigurator(new HttpsConfigurator(contextFor(names)));
        makeRepository();
        tarball = makePackage();
        for (HttpServer server : List.of(plain, tls)) {
            server.setExecutor(threads);
            server.createContext("/", this::handle);
            server.start();
        }
    }

    /** The certificate of the authority, in PEM. */
    Path authority() {
        return folder.resolve("root.pem");
    }

    /** The keys of {@code worker.egress} that lead the certificate's names here. */
    Map<String, Object> settings() {
        Map<String, String> hosts = names.stream().collect(Collectors.toMap(name -> name, name -> "127.0.0.1"));
        return Map.of("hosts", hosts, "extraRoots", List.of(authority().toString()));
    }

    int port(boolean encrypted) {
        return (encrypted ? tls : plain).getAddress().getPort();
    }

    private void handle(HttpExchange exchange) throws IOException {
        String host = exchange.getRequestHeaders().getFirst("Host");
        String path = exchange.getRequestURI().getPath();
        requests.add(host + " " + exchange.getRequestMethod() + " " + path);
        String authorization = exchange.getRequestHeaders().getFirst("Authorization");
        if (authorization != null) {
            authorizations.add(authorization);
        }
        byte[] body = exchange.getRequestBody().readAllBytes();
        if (path.startsWith("/to/")) {
            exchange.getResponseHeaders().set("Location", path.substring("/to/".length()));
            answer(exchange, 302, new byte[0]);
        } else if (path.startsWith("/repo.git/")) {
            Path file = folder.resolve(path.substring(1)).normalize();
            boolean there = file.startsWith(folder.resolve("repo.git")) && Files.isRegularFile(file);
            answer(exchange, there ? 200 : 404, there ? Files.readAllBytes(file) : new byte[0]);
        } else if (path.equals("/brig-pkg")) {
            answer(exchange, 200, packument(exchange, host).getBytes(UTF_8));
        } else if (path.endsWith(".tgz")) {
            answer(exchange, 200, tarball);
        } else if (path.equals("/echo")) {
            answer(exchange, 200, ("echo " + authorization + " " + new String(body, UTF_8) + "\n").getBytes(UTF_8));
        } else {
            answer(exchange, 200, "hello\n".getBytes(UTF_8));
        }
    }

    private static void answer(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private String packument(HttpExchange exchange, String host) {
        String scheme = exchange instanceof com.sun.net.httpserver.HttpsExchange ? "https" : "http";
        try {
            String integrity = Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance("SHA-512").digest(tarball));
            return """
                    {"name": "brig-pkg", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {"name": "brig-pkg",
                     "version": "1.0.0", "dist": {"tarball": "%s://%s/brig-pkg-1.0.0.tgz", "integrity": "sha512-%s"}}}}
                    """.formatted(scheme, host, integrity);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private void makeRepository() throws Exception {
        run(folder, "git", "init", "-q", "-b", "main", "work");
        Files.writeString(folder.resolve("work/f"), "hello\n");
        run(folder.resolve("work"), "git", "add", "f");
        run(
                folder.resolve("work"),
                "git",
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@example.org",
                "commit",
                "-qm",
                "first");
        run(folder, "git", "clone", "-q", "--bare", "work", "repo.git");
        // What a server of plain files needs.
        run(folder.resolve("repo.git"), "git", "update-server-info");
    }

    private byte[] makePackage() throws Exception {
        Path of = Files.createDirectories(folder.resolve("package"));
        Files.writeString(of.resolve("package.json"), "{\"name\": \"brig-pkg\", \"version\": \"1.0.0\"}");
        Files.writeString(of.resolve("index.js"), "module.exports = 'hello'\n");
        run(folder, "tar", "czf", "package.tgz", "package");
        return Files.readAllBytes(folder.resolve("package.tgz"));
    }

    private SSLContext contextFor(String... names) throws Exception {
        String root = folder.resolve("root.p12").toString();
        String leaf = folder.resolve("leaf.p12").toString();
        keytool("-genkeypair", "-alias", "root", "-keystore", root, "-dname", "CN=Brig test root", "-ext", "bc:c");
        keytool(
                "-exportcert",
                "-rfc",
                "-alias",
                "root",
                "-keystore",
                root,
                "-file",
                authority().toString());
        keytool("-genkeypair", "-alias", "leaf", "-keystore", leaf, "-dname", "CN=leaf");
        Path request = folder.resolve("leaf.csr");
        Path signed = folder.resolve("leaf.pem");
        keytool("-certreq", "-alias", "leaf", "-keystore", leaf, "-file", request.toString());
        keytool(
                "-gencert",
                "-rfc",
                "-alias",
                "root",
                "-keystore",
                root,
                "-infile",
                request.toString(),
                "-outfile",
                signed.toString(),
                "-ext",
                "san=dns:" + String.join(",dns:", names));
        keytool(
                "-importcert",
                "-noprompt",
                "-alias",
                "root",
                "-keystore",
                leaf,
                "-file",
                authority().toString());
        keytool("-importcert", "-noprompt", "-alias", "leaf", "-keystore", leaf, "-file", signed.toString());
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(KeyStore.getInstance(Path.of(leaf).toFile(), PASSWORD), PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }

    private void keytool(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin/keytool").toString(),
                "-J-XX:+UseSerialGC",
                "-J-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-storepass", new String(PASSWORD)));
        if (arguments[0].equals("-genkeypair")) {
            command.addAll(List.of("-keyalg", "EC"));
        }
        run(folder, command.toArray(String[]::new));
    }

    private static void run(Path folder, String... command) throws Exception {
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + said);
        }
    }

    /** Removes its files. */
    void delete() throws IOException {
        TestFolders.delete(folder);
    }

    @Override
    public void close() {
        plain.stop(0);
        tls.stop(0);
        threads.close();
    }
}
