package brig.cli;

import brig.cli.terminal.Terminal;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.JsonObject;
import brig.protocol.login.Login;
import brig.protocol.login.Vendor;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/**
 * {@code brig login}: a person's login at a vendor becomes the model route of the vendor's own agent.
 *
 * <p>Decision 0193.
 */
@Command(
        name = "login",
        description = "Let an agent use your login at its vendor, such as a subscription, in place of an API key.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The login stays outside the wall, in a file that only you can read. The agent has a placeholder, which Brig",
            "replaces on the way to the vendor, and to no other host. Brig renews its tokens, once for all agents, and writes",
            "new ones back to the file that they came from, so that your own claude or codex goes on to work.",
            "",
            "What the vendors' terms allow, as we read them (they bind you, and change):",
            "  claude    A subscription (Pro, Max, Team, Enterprise) is for Claude Code and Anthropic's own apps. Brig gives it",
            "            to Claude Code alone. Other agents need an API key of Anthropic.",
            "  codex     A ChatGPT plan is for Codex, by the person who has it. Brig gives it to Codex alone.",
            "  opencode  Takes the API key of OpenAI that OpenCode has. A login at Anthropic or ChatGPT in it is refused.",
            "Refused for all: a login at any server but the vendor's own, or a proxy of this host. A login is one person's: for",
            "a team's gateway take an API key (brig route set), Bedrock or Vertex (brig route set claude --bedrock, --vertex).",
            "",
            "Examples:",
            "  brig login claude                                  the login of claude on this machine, or a new one",
            "  claude setup-token                                 prints a token that is good for a year",
            "  brig login claude --token-file token.txt           use that token; -: standard input",
            "  brig login claude --credential claude-token        use the token in that credential of systemd",
            "  brig login codex                                   the login of codex on this machine, or a new one",
            "  brig login opencode                                the API key of OpenAI that opencode has",
            "  brig route test claude                             does the vendor accept it?",
            "  brig route rm claude                               forget it"
        })
final class LoginCommand implements Callable<Integer> {
    private static final String CLAUDE = "claude";
    private static final String CODEX = "codex";
    private static final String OPENCODE = "opencode";
    private static final String TOKEN_VARIABLE = "CLAUDE_CODE_OAUTH_TOKEN";
    private static final Pattern TOKEN = Pattern.compile("[!-~]{20,16384}");
    private static final Pattern ACCOUNT = Pattern.compile("[A-Za-z0-9_-]{1,128}");
    private static final Pattern THIS_HOST = Pattern.compile("127(\\.\\d{1,3}){3}|\\[::1]");
    private static final int TOKEN_FILE_BYTES_MAX = 32 * 1024;

    @ParentCommand
    private Main main = new Main();

    @Parameters(paramLabel = "NAME", description = "The agent: claude, codex or opencode.")
    private String name = "";

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "A token of 'claude setup-token', in its first line. -: standard input.")
    private @Nullable String tokenFile;

    @Option(
            names = "--credential",
            paramLabel = "NAME",
            description =
                    "The credential of systemd that has a token of 'claude setup-token': LoadCredential=NAME:FILE in "
                            + "the worker-agent's unit.")
    private @Nullable String credential;

    @Option(
            names = "--from",
            paramLabel = "FILE",
            description = "The file of the vendor's program. Default: where that program keeps it.")
    private @Nullable Path from;

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "A proxy of this host that leads to the vendor. Default: the vendor's server.")
    private @Nullable String url;

    @Option(
            names = "--token-url",
            paramLabel = "URL",
            description = "Where such a proxy renews tokens. Default: the vendor's server.")
    private @Nullable String tokenUrl;

    /** The vendor's program, for its own sign-in; null for the one of the PATH. */
    private @Nullable Path program;

    /** Whether another command says what became of it. */
    private boolean isAsked;

    /** What was done, for scripts. */
    private record SignedIn(
            String name,
            String baseUrl,
            String file,
            String store,
            boolean renewable,
            @Nullable Long expiresAtMs) {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        signIn(new RouteFiles(main.context()));
        return 0;
    }

    /**
     * The same for an agent of which a login is wanted.
     *
     * @param files where it becomes a route
     * @param program the vendor's, if it is not in the PATH
     */
    static void signIn(Main main, String name, RouteFiles files, @Nullable Path program)
            throws IOException, InterruptedException {
        LoginCommand login = new LoginCommand();
        login.main = main;
        login.name = name;
        login.program = program;
        login.isAsked = true;
        login.signIn(files);
    }

    /** Where the login of that agent's vendor is on this host; null for none. */
    static @Nullable String found(String name) {
        if (name.equals(CLAUDE) && hasToken()) {
            return TOKEN_VARIABLE;
        }
        try {
            Path file = usualFile(name);
            boolean usable = switch (name) {
                case CLAUDE -> Vendor.ANTHROPIC.read(file) != null;
                case CODEX -> Vendor.OPENAI.read(file) != null;
                default ->
                    Login.readObject(file).object("openai").text("type", "").equals("api");
            };
            return usable ? file.toString() : null;
        } catch (IOException | BrigException none) {
            return null;
        }
    }

    private static boolean hasToken() {
        String variable = System.getenv(TOKEN_VARIABLE);
        return variable != null && !variable.isBlank();
    }

    /** Where the vendor's program keeps it. */
    private static Path usualFile(String name) {
        return switch (name) {
            case CLAUDE -> home("CLAUDE_CONFIG_DIR", ".claude").resolve(".credentials.json");
            case CODEX -> home("CODEX_HOME", ".codex").resolve("auth.json");
            default -> home("XDG_DATA_HOME", ".local/share").resolve("opencode/auth.json");
        };
    }

    private void signIn(RouteFiles files) throws IOException, InterruptedException {
        requireHere("--url", url);
        requireHere("--token-url", tokenUrl);
        switch (name) {
            case CLAUDE -> {
                files.requireOwnGateway("login " + name);
                keep(files, claude(), Vendor.ANTHROPIC, Map.of());
            }
            case CODEX -> {
                files.requireOwnGateway("login " + name);
                codex(files);
            }
            case OPENCODE -> {
                files.requireOwnGateway("login " + name);
                openCode(files);
            }
            default ->
                throw BrigException.invalid(
                        "NAME", "must be claude, codex or opencode: other agents take a key (brig route set)");
        }
    }

    /** A login goes to its vendor, or to a proxy that cannot be somebody else's. */
    private static void requireHere(String option, @Nullable String text) {
        if (text == null) {
            return;
        }
        URI parsed;
        try {
            parsed = URI.create(text);
        } catch (IllegalArgumentException e) {
            throw BrigException.invalid(option, "is no URL");
        }
        boolean here =
                parsed.getHost() != null && THIS_HOST.matcher(parsed.getHost()).matches();
        if (!here
                || parsed.getRawUserInfo() != null
                || parsed.getRawQuery() != null
                || parsed.getRawFragment() != null) {
            throw BrigException.invalid(
                    option, "must lead to 127.0.0.1 or [::1]: a login goes to its vendor, or to a proxy of this host");
        }
    }

    private void keep(RouteFiles files, Login login, Vendor vendor, Map<String, String> headers) throws IOException {
        String base = url == null ? vendor.baseUrl() : url.replaceFirst("/+$", "");
        files.set(name, base, login, headers);
        if (isAsked) {
            return;
        }
        if (main.json()) {
            main.terminal()
                    .json(new SignedIn(
                            name,
                            base,
                            files.loginFile(name).toString(),
                            login.credential() == null ? "file" : "credential",
                            login.isRenewable(),
                            login.expiresAtMs() == 0 ? null : login.expiresAtMs()));
            return;
        }
        main.terminal()
                .note("the agent " + name + " uses your login at " + base + "; it "
                        + (login.credential() == null
                                ? "is in " + files.loginFile(name) + ", which only you can read"
                                : "stays in the credential " + login.credential() + " of systemd"));
        main.terminal()
                .note(
                        login.isRenewable()
                                ? "Brig renews its tokens" + (login.from() == null ? "" : ", also in " + login.from())
                                : "its token cannot be renewed: sign in anew when it ends");
        main.terminal().note("try it: " + main.context().command("route test " + name));
    }

    private Login claude() throws IOException, InterruptedException {
        if (credential != null) {
            RouteFiles.requireCredential(credential);
            return new Login(Vendor.ANTHROPIC, null, "", null, 0, null, null, credential);
        }
        if (tokenFile != null) {
            return ofToken(firstLine(tokenFile), "--token-file");
        }
        if (from == null && hasToken()) {
            return ofToken(System.getenv(TOKEN_VARIABLE).strip(), TOKEN_VARIABLE);
        }
        Path file = from != null ? from : usualFile(CLAUDE);
        if (from == null && !Files.exists(file)) {
            runVendor(
                    "claude",
                    List.of("claude", "auth", "login"),
                    "claude setup-token, and then brig login claude --token-file -");
        }
        return ofFile(Vendor.ANTHROPIC, file, "sign in with claude, or take 'claude setup-token'");
    }

    private static Login ofToken(String token, String option) {
        if (!TOKEN.matcher(token).matches()) {
            throw BrigException.invalid(option, "has no token in its first line");
        }
        if (token.startsWith("sk-ant-api")) {
            throw BrigException.invalid(option, "has an API key, and no login: brig route set claude --key-file FILE");
        }
        return new Login(Vendor.ANTHROPIC, null, token, null, 0, null, null);
    }

    private void codex(RouteFiles files) throws IOException, InterruptedException {
        Path file = from != null ? from : usualFile(CODEX);
        if (from == null && !Files.exists(file)) {
            runVendor("codex", List.of("codex", "login"), "codex login on this machine");
        }
        Login login = ofFile(
                Vendor.OPENAI,
                file,
                "if it has an API key, that is a route: brig route set codex --key-file FILE; else sign in with codex login");
        String account = object(file).object("tokens").text("account_id", "");
        if (!account.isEmpty() && !ACCOUNT.matcher(account).matches()) {
            throw BrigException.invalid("--from", file + " has an account_id that is no plain name");
        }
        keep(files, login, Vendor.OPENAI, account.isEmpty() ? Map.of() : Map.of("chatgpt-account-id", account));
    }

    private Login ofFile(Vendor vendor, Path file, String cure) throws IOException {
        Login.Tokens tokens;
        try {
            tokens = vendor.read(file);
        } catch (IOException e) {
            throw new BrigException(ErrorCode.NOT_FOUND, "no login is in " + file + " (" + reason(e) + "): " + cure);
        }
        if (tokens == null || !TOKEN.matcher(tokens.accessToken()).matches()) {
            throw new BrigException(ErrorCode.NOT_FOUND, "no login is in " + file + ": " + cure);
        }
        // Another person's file is left alone.
        boolean own = Files.getOwner(file).getName().equals(System.getProperty("user.name"));
        return new Login(
                vendor,
                tokenUrl == null ? vendor.tokenUrl() : tokenUrl,
                tokens.accessToken(),
                tokens.refreshToken(),
                tokens.expiresAtMs(),
                own ? file.toAbsolutePath().normalize().toString() : null,
                null);
    }

    private static String reason(IOException e) {
        return e instanceof NoSuchFileException ? "it is not there" : String.valueOf(e.getMessage());
    }

    /** OpenCode has keys and logins of many providers. Brig's profile of it takes one key. */
    private void openCode(RouteFiles files) throws IOException {
        Path file = from != null ? from : usualFile(OPENCODE);
        JsonObject auth = object(file);
        JsonObject openAi = auth.object("openai");
        String key = openAi.text("key", "");
        if (openAi.text("type", "").equals("api") && TOKEN.matcher(key).matches()) {
            String base = url == null ? "https://api.openai.com" : url.replaceFirst("/+$", "");
            files.set(OPENCODE, base, "authorization", key);
            if (isAsked) {
                return;
            }
            main.terminal().note("the agent opencode uses the API key that opencode has for " + base);
            main.terminal().note("try it: " + main.context().command("route test opencode"));
            return;
        }
        String cure = "; give it an API key: brig route set opencode --key-file FILE";
        if (auth.object("anthropic").text("type", "").equals("oauth")) {
            throw new BrigException(
                    ErrorCode.FORBIDDEN,
                    "opencode is signed in at Anthropic, whose terms allow that login in Claude Code only: brig login claude"
                            + cure);
        }
        if (openAi.text("type", "").equals("oauth")) {
            throw new BrigException(
                    ErrorCode.FORBIDDEN,
                    "opencode is signed in at ChatGPT, which is for Codex here: brig login codex" + cure);
        }
        throw new BrigException(ErrorCode.NOT_FOUND, file + " has no API key of OpenAI" + cure);
    }

    private static JsonObject object(Path file) {
        try {
            return Login.readObject(file);
        } catch (IOException e) {
            throw new BrigException(ErrorCode.NOT_FOUND, "no login is in " + file + " (" + reason(e) + ")");
        }
    }

    private static Path home(String variable, String below) {
        String named = System.getenv(variable);
        return named == null || named.isEmpty() ? Path.of(System.getProperty("user.home"), below) : Path.of(named);
    }

    /** The vendor's own sign-in, outside the wall. */
    private void runVendor(String program, List<String> command, String byHand)
            throws IOException, InterruptedException {
        if (!Terminal.isTerminal(0) || !Terminal.isTerminal(1)) {
            throw new BrigException(ErrorCode.NOT_FOUND, "no login of " + program + " is on this machine: " + byHand);
        }
        main.terminal()
                .note("no login of " + program + " is here; starting its own sign-in: " + String.join(" ", command));
        try {
            List<String> words = new ArrayList<>(command);
            if (this.program != null) {
                words.set(0, this.program.toString());
            }
            new ProcessBuilder(words)
                    .redirectInput(ProcessBuilder.Redirect.INHERIT)
                    .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.NOT_FOUND,
                    "no login of " + program + " is on this machine, and no such program: " + byHand);
        }
    }

    private static String firstLine(String file) {
        try (InputStream in = file.equals("-") ? System.in : Files.newInputStream(Path.of(file))) {
            return new String(in.readNBytes(TOKEN_FILE_BYTES_MAX), StandardCharsets.UTF_8)
                    .lines()
                    .findFirst()
                    .orElse("")
                    .strip();
        } catch (IOException e) {
            throw BrigException.invalid("--token-file", "cannot be read: " + file);
        }
    }
}
