package brig.cli;

import brig.gateway.config.ConfigFile;
import brig.gateway.config.Paths;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.TestRouteAnswer;
import brig.protocol.io.WholeFile;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig route}: the model routes of agents. Worker-agents read its files at each start of an agent. */
@Command(
        name = "route",
        description = "Set, list, test and remove model routes: the access of agents to their models.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "The key stays outside the wall: the agent has a placeholder, which Brig replaces with the key in each request.",
            "",
            "Examples:",
            "  brig route set claude --key-file ~/anthropic.key       Anthropic's API, for Claude Code",
            "  brig route set codex --env OPENAI_API_KEY              take the key from a variable of this shell",
            "  pass show openai | brig route set opencode --key-file -",
            "  brig route set codex --url http://127.0.0.1:11434      use a model on this host, without a key",
            "  brig route set opencode --url https://llm.example.org --key-file key",
            "  brig route test claude                                 send one small request, and show the answer",
            "  brig run claude -- 'What is this project?'"
        })
final class RouteCommand {
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9_-]{0,63}");
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");
    private static final Pattern HEADER = Pattern.compile("[a-z0-9-]{1,64}");
    private static final Pattern THIS_HOST = Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[::1]");
    private static final String BEARER = "authorization";
    /** The minimum that worker-agents accept. */
    private static final int KEY_LENGTH_MIN = 8;

    private static final int KEY_LENGTH_MAX = 16 * 1024;

    /** The vendor's API of each shipped agent, and the header for its key. */
    private static final Map<String, Usual> USUAL = Map.of(
            "claude", new Usual("https://api.anthropic.com", "x-api-key"),
            "codex", new Usual("https://api.openai.com", BEARER),
            "opencode", new Usual("https://api.openai.com", BEARER));

    /** The content of a route file, in the form of a policy. */
    @CamelCase
    @Extensible
    private record RouteFile(@OmitEmpty Map<String, Source> secrets, Map<String, Route> modelRoutes) {}

    /** @param secret the name of the secret for {@code header}; null for a server without a key */
    @CamelCase
    @Extensible
    private record Route(
            String baseUrl,
            @Nullable String secret,
            @Nullable String header) {}

    /** The source of a key. */
    @CamelCase
    @Extensible
    private record Source(
            @Nullable String file,
            @Nullable String envVar,
            @OmitEmpty boolean allowPlaintext) {}

    /**
     * A route for display.
     *
     * @param baseUrl or why it is unusable
     * @param key the source of the key; null for none
     */
    private record Shown(
            String name, String baseUrl, @Nullable String key, String file) {}

    private record Routes(List<Shown> routes) {}

    private record Removed(String name) {}

    private record Usual(String baseUrl, String header) {}

    /** The current place of the key; at most one of them. */
    static final class Key {
        @Option(
                names = "--key-file",
                paramLabel = "FILE",
                description = "The file whose first line is the key. -: standard input.")
        private @Nullable String file;

        @Option(names = "--env", paramLabel = "NAME", description = "The variable of your shell that has the key.")
        private @Nullable String variable;
    }

    @ParentCommand
    private Main main = new Main();

    @Command(
            description = "Set a model route. It takes effect for new sessions, without a restart.",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "The key is copied into a file that only you can read. It is nowhere else: not in an argument, in a log or",
                "behind the wall. Without a key, the agent's own placeholder is sent.",
                "",
                "Examples:",
                "  brig route set claude --key-file ~/anthropic.key",
                "  brig route set codex --url http://127.0.0.1:11434"
            })
    int set(
            @Parameters(
                            paramLabel = "NAME",
                            description = "The name of the route in the agent's profile: claude, codex, opencode.")
                    String name,
            @ArgGroup @Nullable Key key,
            @Option(
                            names = "--url",
                            paramLabel = "URL",
                            description = "The base URL of the server, without /v1. Default: the vendor's.")
                    @Nullable
                    String url,
            @Option(
                            names = "--header",
                            paramLabel = "NAME",
                            description = "The header for the key. Default: the one of the "
                                    + "vendor's API, or else authorization.")
                    @Nullable
                    String header,
            @Option(names = "--allow-plaintext", description = "Allow the key to be sent to another host without TLS.")
                    boolean plaintext)
            throws IOException {
        requireName(name);
        requireOwnGateway("set " + name);
        Usual usual = USUAL.get(name);
        String wanted = url != null ? url : usual != null ? usual.baseUrl() : null;
        if (wanted == null) {
            throw BrigException.invalid(
                    "--url",
                    "is missing: only " + USUAL.keySet().stream().sorted().toList() + " have a usual one");
        }
        if (url == null && key == null) {
            throw BrigException.invalid(
                    "--key-file", "is missing: FILE with the key, or --env NAME, or --url URL of a server without one");
        }
        URI base = baseUrl(wanted, usual != null);
        String carrier = header != null
                ? header.toLowerCase(Locale.ROOT)
                : usual != null && (url == null || name.equals("claude")) ? usual.header() : BEARER;
        if (!HEADER.matcher(carrier).matches()) {
            throw BrigException.invalid("--header", "must be the name of a header");
        }
        boolean here = THIS_HOST.matcher(base.getHost()).matches();
        if (key != null && "http".equals(base.getScheme()) && !here && !plaintext) {
            throw BrigException.invalid(
                    "--url",
                    "would send the key without TLS to " + base.getHost()
                            + ": take https, or add --allow-plaintext (allowPlaintext in the file) if the way there is safe");
        }
        String secret = null;
        Map<String, Source> secrets = Map.of();
        if (key != null) {
            secret = "BRIG_ROUTE_" + name.toUpperCase(Locale.ROOT).replace('-', '_');
            secrets = Map.of(secret, new Source(keep(name, key).toString(), null, "http".equals(base.getScheme())));
        } else {
            Files.deleteIfExists(keyFile(name));
        }
        Route route = new Route(base.toString(), secret, key == null ? null : carrier);
        Path file = replace(folder(), routeFile(name), Json.writeLine(new RouteFile(secrets, Map.of(name, route))));
        if (main.json()) {
            main.terminal().json(show(name, file));
        } else {
            main.terminal()
                    .note("the route " + name + " leads to " + base
                            + (key == null ? ", without a key" : "; its key is in " + keyFile(name)));
            main.terminal().note("try it: " + main.context().command("route test " + name));
        }
        return 0;
    }

    private static void requireName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw BrigException.invalid("NAME", "must be small letters, digits, - and _, such as claude");
        }
    }

    /** Another user's worker-agent does not read the files that this user may write. */
    private void requireOwnGateway(String what) {
        if (!Paths.isRoot() && main.context().spawnerSocket().equals(Paths.HOST_SPAWNER)) {
            throw new BrigException(
                    ErrorCode.FORBIDDEN,
                    "the gateway here is the host's, and root sets its routes: sudo brig route " + what);
        }
    }

    /** @param versioned whether the agent itself adds /v1 */
    private static URI baseUrl(String text, boolean versioned) {
        URI url;
        try {
            String plain = text.replaceFirst("/+$", "");
            url = URI.create(versioned ? plain.replaceFirst("/v1$", "") : plain);
        } catch (IllegalArgumentException e) {
            throw BrigException.invalid("--url", "is no URL");
        }
        boolean web = "https".equals(url.getScheme()) || "http".equals(url.getScheme());
        if (!web
                || url.getHost() == null
                || url.getRawUserInfo() != null
                || url.getRawQuery() != null
                || url.getRawFragment() != null) {
            throw BrigException.invalid("--url", "must be http:// or https:// with a host, and a path at most");
        }
        // The name localhost may resolve to an address on which model servers do not listen.
        return url.getHost().equals("localhost")
                ? URI.create(url.toString().replaceFirst("//localhost", "//127.0.0.1"))
                : url;
    }

    private Path keep(String name, Key key) throws IOException {
        String value = key.variable == null ? firstLine(String.valueOf(key.file)) : variable(key.variable);
        boolean usable = value.length() >= KEY_LENGTH_MIN
                && value.length() <= KEY_LENGTH_MAX
                && value.chars().allMatch(c -> c > ' ' && c < 0x7f);
        if (!usable) {
            throw BrigException.invalid(
                    key.variable == null ? "--key-file" : "--env",
                    "has no key in its first line: " + KEY_LENGTH_MIN + " to " + KEY_LENGTH_MAX
                            + " printable characters");
        }
        return replace(secrets(), keyFile(name), (value + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    private static String variable(String name) {
        String value = VARIABLE.matcher(name).matches() ? System.getenv(name) : null;
        if (value == null) {
            // The argument may be the key itself, so it is not repeated.
            throw BrigException.invalid("--env", "must name a variable of this shell that is exported");
        }
        return value.strip();
    }

    private static String firstLine(String file) {
        try (InputStream in = file.equals("-") ? System.in : Files.newInputStream(Path.of(file))) {
            return new String(in.readNBytes(KEY_LENGTH_MAX + 2), StandardCharsets.UTF_8)
                    .lines()
                    .findFirst()
                    .orElse("")
                    .strip();
        } catch (IOException e) {
            throw BrigException.invalid("--key-file", "cannot be read: " + file);
        }
    }

    /** Atomically, and never readable by others. */
    private static Path replace(Path folder, Path file, byte[] content) throws IOException {
        Files.createDirectories(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        WholeFile.write(file, content);
        return file;
    }

    private Path folder() {
        String named = main.context().config().worker().text("routesDir", "");
        return !named.isEmpty() ? Path.of(named) : ConfigFile.ownPlace().resolveSibling("routes");
    }

    private Path secrets() {
        return folder().resolveSibling("secrets");
    }

    private Path routeFile(String name) {
        return folder().resolve(name + ".json");
    }

    private Path keyFile(String name) {
        return secrets().resolve("route-" + name);
    }

    @Command(
            description = "List the model routes that were set.",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "Routes in a policy's own file are not listed. 'brig agents' shows which agents have no route.",
                "",
                "Example:",
                "  brig route list"
            })
    int list() throws IOException {
        List<Shown> routes = new ArrayList<>();
        if (Files.isDirectory(folder())) {
            try (Stream<Path> files = Files.list(folder())) {
                for (Path file : files.filter(one -> one.toString().endsWith(".json"))
                        .sorted()
                        .toList()) {
                    String fileName = String.valueOf(file.getFileName());
                    routes.add(show(fileName.substring(0, fileName.length() - ".json".length()), file));
                }
            }
        }
        if (main.json()) {
            main.terminal().json(new Routes(routes));
            return 0;
        }
        main.terminal()
                .table(
                        List.of("ROUTE", "LEADS TO", "KEY"),
                        routes.stream()
                                .map(route -> List.of(
                                        route.name(), route.baseUrl(), route.key() == null ? "none" : route.key()))
                                .toList());
        if (routes.isEmpty()) {
            main.terminal().note("none is set: brig route set claude --key-file FILE");
        }
        return 0;
    }

    private static Shown show(String name, Path file) throws IOException {
        try {
            RouteFile whole = JsonObject.readCommented(Files.readString(file)).as(RouteFile.class);
            Route route = whole.modelRoutes().get(name);
            if (route == null) {
                throw BrigException.invalid("baseUrl", "is missing");
            }
            Source source = route.secret() == null ? null : whole.secrets().get(route.secret());
            String key = source == null ? null : source.file() == null ? source.envVar() : source.file();
            return new Shown(name, route.baseUrl(), key, file.toString());
        } catch (BrigException e) {
            return new Shown(name, "cannot be used: " + e.getMessage(), null, file.toString());
        }
    }

    @Command(
            description = "Send one small request through a route, as the agent would, and show the answer.",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "The request asks for the list of models, which costs nothing. Exits with 0 if the server returns the list, and",
                "with 1 if it answers something else.",
                "",
                "Example:",
                "  brig route test claude"
            })
    int test(@Parameters(paramLabel = "NAME", description = "The name of the route.") String name) {
        requireName(name);
        return isWell(main.showOrEmbed(new SpawnerRequest.TestRoute(name), TestRouteAnswer.class, this::print)
                        .as(TestRouteAnswer.class))
                ? 0
                : 1;
    }

    private static boolean isWell(TestRouteAnswer answer) {
        return answer.status() >= 200 && answer.status() < 300;
    }

    private void print(TestRouteAnswer answer) {
        String means = switch (answer.status()) {
            case 401, 403 -> ": the key is refused";
            case 404 -> ": a server is there, which has no list of models";
            default -> "";
        };
        main.terminal().println(answer.baseUrl() + " answered " + answer.status() + means);
        if (!isWell(answer)) {
            main.terminal().lines(answer.text());
        }
    }

    @Command(
            name = "rm",
            description = "Remove a model route and its key.",
            mixinStandardHelpOptions = true,
            footer = {"", "Running sessions can no longer reach their model.", "", "Example:", "  brig route rm claude"
            })
    int remove(
            @Parameters(paramLabel = "NAME", description = "The name of the route, as 'brig route list' shows it.")
                    String name)
            throws IOException {
        requireName(name);
        requireOwnGateway("rm " + name);
        if (!Files.deleteIfExists(routeFile(name))) {
            throw new BrigException(ErrorCode.NOT_FOUND, "no route '" + name + "' is set in " + folder());
        }
        Files.deleteIfExists(keyFile(name));
        if (main.json()) {
            main.terminal().json(new Removed(name));
        } else {
            main.terminal().note("removed the route " + name);
        }
        return 0;
    }
}
