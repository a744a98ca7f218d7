package brig.cli;

import brig.gateway.config.ConfigFile;
import brig.gateway.config.Paths;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.io.WholeFile;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.login.Login;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files of model routes, with the keys and logins that they use. Worker-agents read them at each start of an agent.
 *
 * <p>Decisions 0119, 0193.
 */
final class RouteFiles {
    /** The content of a route file, in the form of a policy. */
    @CamelCase
    @Extensible
    private record RouteFile(@OmitEmpty Map<String, Source> secrets, Map<String, Route> modelRoutes) {}

    /**
     * A route.
     *
     * @param secret the name of the secret for {@code header}; null for a server without a key
     * @param headers further headers
     * @param api the cloud that it leads to; null for none
     */
    @CamelCase
    @Extensible
    record Route(
            String baseUrl,
            @Nullable String secret,
            @Nullable String header,
            @OmitEmpty Map<String, String> headers,
            @Nullable String api,
            @Nullable String region,
            @Nullable String project) {
        /** Of a vendor's API. */
        Route(String baseUrl, @Nullable String secret, @Nullable String header, Map<String, String> headers) {
            this(baseUrl, secret, header, headers, null, null, null);
        }
    }

    /** The source of a key. */
    @CamelCase
    @Extensible
    record Source(
            @Nullable String file,
            @Nullable String envVar,
            @Nullable String login,
            @Nullable String credential,
            @OmitEmpty boolean allowPlaintext) {}

    /**
     * A route for display.
     *
     * @param baseUrl or why it is unusable
     * @param key the source of the key; null for none
     * @param store what holds it: {@code file}, {@code credential} of systemd, or {@code variable}; null for none
     */
    record Shown(
            String name,
            String baseUrl,
            @Nullable String key,
            @Nullable String store,
            String file) {}

    private static final Pattern CREDENTIAL = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}");
    private static final String OF_SYSTEMD = " (credential ";
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9_-]{0,63}");
    private static final String JSON = ".json";
    /** The first line of files that {@code brig setup} takes back. Whoever sets a route anew writes it without. */
    private static final String OF_SETUP = "// set by 'brig setup'; 'brig setup --undo' removes it\n";

    private final CommandContext context;
    private final String head;
    /** Held while several files are written that belong together. */
    private final ReentrantLock setting = new ReentrantLock();

    RouteFiles(CommandContext context) {
        this(context, "");
    }

    private RouteFiles(CommandContext context, String head) {
        this.context = context;
        this.head = head;
    }

    /** Those that {@code brig setup} sets. The end of this process waits for a route that is being set. */
    static RouteFiles ofSetup(CommandContext context) {
        RouteFiles files = new RouteFiles(context, OF_SETUP);
        Runtime.getRuntime()
                .addShutdownHook(Thread.ofPlatform().name("brig-route").unstarted(files::awaitWhole));
        return files;
    }

    private void awaitWhole() {
        setting.lock();
    }

    static void requireName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw BrigException.invalid("NAME", "must be small letters, digits, - and _, such as claude");
        }
    }

    static void requireCredential(String name) {
        if (!CREDENTIAL.matcher(name).matches()) {
            throw BrigException.invalid("--credential", "must be a plain name");
        }
    }

    /** Another user's worker-agent does not read the files that this user may write. */
    void requireOwnGateway(String what) {
        if (!Paths.isRoot() && context.spawnerSocket().equals(Paths.HOST_SPAWNER)) {
            throw new BrigException(
                    ErrorCode.FORBIDDEN, "the gateway here is the host's, and root sets its routes: sudo brig " + what);
        }
    }

    Path folder() {
        String named = context.config().worker().text("routesDir", "");
        return !named.isEmpty() ? Path.of(named) : ConfigFile.ownPlace().resolveSibling("routes");
    }

    Path secrets() {
        return folder().resolveSibling("secrets");
    }

    private Path routeFile(String name) {
        return folder().resolve(name + JSON);
    }

    Path keyFile(String name) {
        return secrets().resolve("route-" + name);
    }

    Path loginFile(String name) {
        return secrets().resolve("login-" + name + JSON);
    }

    /** Sets a route without a key. */
    Path set(String name, String baseUrl) throws IOException {
        setting.lock();
        try {
            Files.deleteIfExists(keyFile(name));
            Files.deleteIfExists(loginFile(name));
            return write(name, Map.of(), new Route(baseUrl, null, null, Map.of()));
        } finally {
            setting.unlock();
        }
    }

    /** Sets a route whose key goes into that header. */
    Path set(String name, String baseUrl, String header, String key) throws IOException {
        Path file = keyFile(name);
        setting.lock();
        try {
            makePrivate(secrets());
            WholeFile.write(file, (key + "\n").getBytes(StandardCharsets.US_ASCII));
            Source source = new Source(file.toString(), null, null, null, baseUrl.startsWith("http:"));
            Path written =
                    write(name, Map.of(secret(name), source), new Route(baseUrl, secret(name), header, Map.of()));
            Files.deleteIfExists(loginFile(name));
            return written;
        } finally {
            setting.unlock();
        }
    }

    /** Sets a route whose key is a credential that systemd gives to the worker-agent. */
    Path setCredential(String name, String baseUrl, String header, String credential) throws IOException {
        Source source = new Source(null, null, null, credential, baseUrl.startsWith("http:"));
        Path written = write(name, Map.of(secret(name), source), new Route(baseUrl, secret(name), header, Map.of()));
        Files.deleteIfExists(keyFile(name));
        Files.deleteIfExists(loginFile(name));
        return written;
    }

    /** Sets a route whose requests carry a login. */
    Path set(String name, String baseUrl, Login login, Map<String, String> headers) throws IOException {
        Path file = loginFile(name);
        setting.lock();
        try {
            makePrivate(secrets());
            login.write(file);
            Source source = new Source(null, null, file.toString(), null, baseUrl.startsWith("http:"));
            Path written = write(
                    name, Map.of(secret(name), source), new Route(baseUrl, secret(name), "authorization", headers));
            Files.deleteIfExists(keyFile(name));
            return written;
        } finally {
            setting.unlock();
        }
    }

    private static String secret(String name) {
        return "BRIG_ROUTE_" + name.toUpperCase(Locale.ROOT).replace('-', '_');
    }

    /** Sets a route to AWS, whose requests are signed with these credentials. */
    Path setBedrock(String name, String baseUrl, String region, String credentials) throws IOException {
        Path file = keyFile(name);
        makePrivate(secrets());
        WholeFile.write(file, (credentials + "\n").getBytes(StandardCharsets.US_ASCII));
        Source source = new Source(file.toString(), null, null, null, baseUrl.startsWith("http:"));
        Route route = new Route(baseUrl, secret(name), null, Map.of(), "bedrock", region, null);
        Path written = write(name, Map.of(secret(name), source), route);
        Files.deleteIfExists(loginFile(name));
        return written;
    }

    /** Sets a route to Vertex AI, whose tokens this login renews. */
    Path setVertex(String name, String baseUrl, String region, String project, Login login) throws IOException {
        Path file = loginFile(name);
        makePrivate(secrets());
        login.write(file);
        Source source = new Source(null, null, file.toString(), null, baseUrl.startsWith("http:"));
        Route route = new Route(baseUrl, secret(name), "authorization", Map.of(), "vertex", region, project);
        Path written = write(name, Map.of(secret(name), source), route);
        Files.deleteIfExists(keyFile(name));
        return written;
    }

    private Path write(String name, Map<String, Source> secrets, Route route) throws IOException {
        makePrivate(folder());
        Path file = routeFile(name);
        String json = new String(Json.writeLine(new RouteFile(secrets, Map.of(name, route))), StandardCharsets.UTF_8);
        WholeFile.write(file, (head + json).getBytes(StandardCharsets.UTF_8));
        return file;
    }

    private static void makePrivate(Path folder) throws IOException {
        Files.createDirectories(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    /** Removes a route with its key or login. */
    void remove(String name) throws IOException {
        if (!Files.deleteIfExists(routeFile(name))) {
            throw new BrigException(ErrorCode.NOT_FOUND, "no route '" + name + "' is set in " + folder());
        }
        Files.deleteIfExists(keyFile(name));
        Files.deleteIfExists(loginFile(name));
    }

    /** The routes that {@code brig setup} set, and nobody since. */
    List<Shown> leftBySetup() throws IOException {
        List<Shown> left = new ArrayList<>();
        for (Shown route : list()) {
            try (InputStream file = Files.newInputStream(Path.of(route.file()))) {
                if (new String(file.readNBytes(OF_SETUP.length()), StandardCharsets.UTF_8).equals(OF_SETUP)) {
                    left.add(route);
                }
            }
        }
        return left;
    }

    /** All routes, by name. */
    List<Shown> list() throws IOException {
        if (!Files.isDirectory(folder())) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder())) {
            return files.filter(one -> one.toString().endsWith(JSON))
                    .sorted()
                    .map(file -> {
                        String name = String.valueOf(file.getFileName());
                        return show(name.substring(0, name.length() - JSON.length()), file);
                    })
                    .toList();
        }
    }

    static Shown show(String name, Path file) {
        try {
            RouteFile whole = JsonObject.readCommented(Files.readString(file)).as(RouteFile.class);
            Route route = whole.modelRoutes().get(name);
            if (route == null) {
                throw BrigException.invalid("baseUrl", "is missing");
            }
            Source source = route.secret() == null ? null : whole.secrets().get(route.secret());
            return new Shown(
                    name, route.baseUrl(), source == null ? null : shown(source), store(source), file.toString());
        } catch (BrigException | IOException e) {
            return new Shown(name, "cannot be used: " + e.getMessage(), null, null, file.toString());
        }
    }

    private static @Nullable String shown(Source source) {
        if (source.login() != null) {
            return source.login() + stateOf(Path.of(source.login()));
        }
        if (source.credential() != null) {
            return source.credential();
        }
        return source.file() == null ? source.envVar() : source.file();
    }

    private static @Nullable String store(@Nullable Source source) {
        if (source == null) {
            return null;
        }
        boolean isCredential = source.credential() != null
                || (source.login() != null && stateOf(Path.of(source.login())).startsWith(OF_SYSTEMD));
        return isCredential ? "credential" : source.file() != null || source.login() != null ? "file" : "variable";
    }

    private static String stateOf(Path file) {
        try {
            Login login = Login.read(file);
            return login.credential() != null
                    ? OF_SYSTEMD + login.credential() + ")"
                    : login.refusal() == null ? "" : " (refused by the vendor: " + login.refusal() + ")";
        } catch (IOException e) {
            return " (cannot be read)";
        }
    }
}
