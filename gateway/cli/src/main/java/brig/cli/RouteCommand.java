package brig.cli;

import brig.protocol.BrigException;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.TestRouteAnswer;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
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

    private record Routes(List<RouteFiles.Shown> routes) {}

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

        @Option(
                names = "--credential",
                paramLabel = "NAME",
                description =
                        "The credential of systemd that has the key: LoadCredential=NAME:FILE in the worker-agent's unit.")
        private @Nullable String credential;

        static Key inFile(String file) {
            Key key = new Key();
            key.file = file;
            return key;
        }

        static Key inVariable(String name) {
            Key key = new Key();
            key.variable = name;
            return key;
        }
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
                "  brig route set codex --url http://127.0.0.1:11434",
                "  aws configure export-credentials | brig route set claude --bedrock us-east-1 --key-file -",
                "  brig route set claude --vertex us-east5 --project my-project --key-file account.json"
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
                    boolean plaintext,
            @ArgGroup(exclusive = false) @Nullable CloudRoute cloud)
            throws IOException {
        RouteFiles.requireName(name);
        RouteFiles files = files();
        files.requireOwnGateway("route set " + name);
        if (cloud != null && cloud.isChosen()) {
            if (key != null && key.file == null) {
                throw BrigException.invalid(
                        "--key-file", "is the way to give credentials of a cloud, or its variables");
            }
            print(name, cloud.set(files, name, url, key == null ? null : key.file));
            return 0;
        }
        URI base = checked(name, key, url, plaintext);
        Path file = set(files, name, base, key, header == null ? carrier(name, url) : header);
        if (main.json()) {
            main.terminal().json(RouteFiles.show(name, file));
        } else {
            main.terminal()
                    .note("the route " + name + " leads to " + base
                            + (key == null
                                    ? ", without a key"
                                    : key.credential == null
                                            ? "; its key is in " + files.keyFile(name) + ", which only you can read"
                                            : "; its key stays in the credential " + key.credential + " of systemd"));
            main.terminal().note("try it: " + main.context().command("route test " + name));
        }
        return 0;
    }

    /** Where a route of that name leads, by the URL or to the vendor. */
    private static URI checked(String name, @Nullable Key key, @Nullable String url, boolean plaintext) {
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
        boolean here = THIS_HOST.matcher(base.getHost()).matches();
        if (key != null && "http".equals(base.getScheme()) && !here && !plaintext) {
            throw BrigException.invalid(
                    "--url",
                    "would send the key without TLS to " + base.getHost()
                            + ": take https, or add --allow-plaintext (allowPlaintext in the file) if the way there is safe");
        }
        return base;
    }

    /** The usual header for the key. */
    private static String carrier(String name, @Nullable String url) {
        Usual usual = USUAL.get(name);
        return usual != null && (url == null || name.equals("claude")) ? usual.header() : BEARER;
    }

    private static Path set(RouteFiles files, String name, URI base, @Nullable Key key, String header)
            throws IOException {
        String carrier = header.toLowerCase(Locale.ROOT);
        if (!HEADER.matcher(carrier).matches()) {
            throw BrigException.invalid("--header", "must be the name of a header");
        }
        if (key != null && key.credential != null) {
            RouteFiles.requireCredential(key.credential);
            return files.setCredential(name, base.toString(), carrier, key.credential);
        }
        return key == null ? files.set(name, base.toString()) : files.set(name, base.toString(), carrier, value(key));
    }

    /**
     * Sets the route of a shipped agent, as {@code brig route set} does with a key or a URL.
     *
     * @return where it leads
     */
    static URI set(RouteFiles files, String name, @Nullable Key key, @Nullable String url) throws IOException {
        URI base = checked(name, key, url, false);
        set(files, name, base, key, carrier(name, url));
        return base;
    }

    private void print(String name, Path file) {
        RouteFiles.Shown shown = RouteFiles.show(name, file);
        if (main.json()) {
            main.terminal().json(shown);
            return;
        }
        main.terminal()
                .note("the route " + name + " leads to " + shown.baseUrl() + "; its credentials are in " + shown.key());
        main.terminal().note("try it: " + main.context().command("run " + name + " -- 'Say hello'"));
    }

    private RouteFiles files() {
        return new RouteFiles(main.context());
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

    private static String value(Key key) {
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
        return value;
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
        List<RouteFiles.Shown> routes = files().list();
        if (main.json()) {
            main.terminal().json(new Routes(routes));
            return 0;
        }
        main.terminal()
                .table(
                        List.of("ROUTE", "LEADS TO", "KEPT IN", "KEY"),
                        routes.stream()
                                .map(route -> List.of(
                                        route.name(),
                                        route.baseUrl(),
                                        route.store() == null ? "" : route.store(),
                                        route.key() == null ? "none" : route.key()))
                                .toList());
        if (routes.isEmpty()) {
            main.terminal().note("none is set: brig route set claude --key-file FILE");
        }
        return 0;
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
        RouteFiles.requireName(name);
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
            description = "Remove a model route and its key or login.",
            mixinStandardHelpOptions = true,
            footer = {"", "Running sessions can no longer reach their model.", "", "Example:", "  brig route rm claude"
            })
    int remove(
            @Parameters(paramLabel = "NAME", description = "The name of the route, as 'brig route list' shows it.")
                    String name)
            throws IOException {
        RouteFiles.requireName(name);
        files().requireOwnGateway("route rm " + name);
        files().remove(name);
        if (main.json()) {
            main.terminal().json(new Removed(name));
        } else {
            main.terminal().note("removed the route " + name);
        }
        return 0;
    }
}
