package brig.cli;

import brig.gateway.config.Config;
import brig.gateway.config.ConfigFile;
import brig.gateway.config.Paths;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Role;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.api.TokenView;
import brig.protocol.control.HelloAnswer;
import brig.protocol.io.WholeFile;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Name;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/**
 * {@code brig opencode}: makes an OpenCode project's sub-agents run behind the wall, and undoes that.
 *
 * <p>Decision 0075.
 */
@Command(
        name = "opencode",
        description = "Run sub-agents of OpenCode behind the wall.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "OpenCode then uses Brig as a provider of models. Its task tool, @mentions and subtask commands start a worker",
            "in a git worktree of the project. The changes come back as a patch. Examples:",
            "  brig opencode init --dry-run                  only show the change",
            "  brig opencode init --agent reviewer=claude    add a sub-agent 'reviewer' that is Claude Code",
            "  brig opencode init --remote-agents 'review*,general' --local-agents review-local",
            "  opencode                                      then type: @reviewer look at src",
            "  brig opencode undo"
        })
final class OpenCodeCommand {
    /** Agents shipped with Brig to which work is usually delegated. */
    private static final List<String> USUAL_AGENTS = List.of("claude", "codex", "opencode");

    private static final Set<String> APPLY = Set.of("ask", "auto", "never");
    private static final long TOKEN_SECONDS = 366 * 86_400L;
    private static final String SCHEMA = "{\n  \"$schema\": \"https://opencode.ai/config.json\"\n}\n";

    @ParentCommand
    private Main main = new Main();

    @Command(
            description = "Write the provider and the sub-agents into opencode.json.",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "Keeps the rest of the file, with its comments, and shows the change. The token is in a separate file that only",
                "you can read. A git repository is added to worker.repositories of brig.json, so that worktrees can be made."
            })
    int init(
            @Option(
                            names = "--agent",
                            paramLabel = "[NAME=]PROFILE",
                            description = "A sub-agent NAME that runs this agent profile. May be "
                                    + "repeated. Default: those of claude, codex and opencode that are available.")
                    @Nullable
                    List<String> agents,
            @Option(
                            names = "--remote-agents",
                            paramLabel = "GLOBS",
                            split = ",",
                            description = "Existing sub-agents of the project to run behind "
                                    + "the wall, with the first profile.")
                    @Nullable
                    List<String> remoteAgents,
            @Option(
                            names = "--local-agents",
                            paramLabel = "GLOBS",
                            split = ",",
                            description = "Those of them that stay outside of the wall.")
                    @Nullable
                    List<String> localAgents,
            @Option(
                            names = "--apply",
                            paramLabel = "HOW",
                            defaultValue = "ask",
                            description = "ask: changes come back as a patch, "
                                    + "and 'brig apply' applies them. auto: they are applied at the end of each turn, if they fit. "
                                    + "never: neither.")
                    String apply,
            @Option(
                            names = "--url",
                            paramLabel = "URL",
                            description = "The URL of the gateway. Default: as configured.")
                    @Nullable
                    String url,
            @Option(names = "--dry-run", description = "Only show the change.") boolean dryRun,
            @Parameters(
                            paramLabel = "FOLDER",
                            arity = "0..1",
                            defaultValue = ".",
                            description = "The folder of the project. Default: the current folder.")
                    Path project)
            throws IOException {
        if (!APPLY.contains(apply)) {
            throw BrigException.invalid("--apply", "must be ask, auto or never");
        }
        Path folder = project.toRealPath();
        boolean repository = Files.isDirectory(folder.resolve(".git"));
        try (GatewayClient client = main.context().connect()) {
            Map<String, String> subAgents = subAgents(agents, profiles(client));
            EditedFile config = EditedFile.open(configOf(folder), SCHEMA);
            putProvider(
                    config,
                    new Provider(url == null ? url() : url, repository ? folder : null, apply),
                    subAgents.values());
            putAgents(
                    config,
                    subAgents,
                    remoteAgents == null ? List.of() : remoteAgents,
                    localAgents == null ? List.of() : localAgents);
            EditedFile own = EditedFile.open(ownConfig(), "{}\n");
            if (repository) {
                RepositoryCommand.add(own, folder);
            }
            main.terminal().verbatim(config.diff() + own.diff());
            if (dryRun) {
                main.terminal().note("nothing was written");
                return 0;
            }
            own.write(false);
            config.write(false);
            remember(folder, config);
            mint(client);
        }
        main.terminal()
                .note(
                        repository
                                ? "start opencode in " + folder + " and delegate: @" + "NAME …"
                                : folder + " is no git repository: sub-agents get an empty folder to work in");
        if (repository) {
            main.terminal()
                    .note("brig-repository in it is the path of your own clone: who shares the file runs"
                            + " 'brig opencode init' in theirs");
        }
        return 0;
    }

    /** The settings of the provider. */
    private record Provider(String url, @Nullable Path repository, String apply) {}

    /** A provider in OpenCode's configuration. */
    private record WrittenProvider(
            String npm, String name, ProviderOptions options, Map<String, OfferedModel> models) {}

    /** OpenCode's options of the provider. */
    @CamelCase
    private record ProviderOptions(@Name("baseURL") String baseUrl, String apiKey, Headers headers) {}

    /** Headers of each request; null if the project is not a repository. */
    private record Headers(
            @Name("brig-repository") @Nullable String repository,
            @Name("brig-apply") @Nullable String apply) {}

    /** An agent as a model. */
    private record OfferedModel(String name, boolean reasoning, boolean toolCall) {}

    /**
     * The data for undo.
     *
     * @param made whether init created the file
     */
    private record Initialized(String file, boolean made, List<EditedFile.Change> changes) {}

    private Map<String, String> profiles(GatewayClient client) {
        Map<String, String> profiles = new TreeMap<>();
        client.request(new SpawnerRequest.Agents(), HelloAnswer.class)
                .agents()
                .forEach(agent -> profiles.put(agent.name(), agent.description()));
        return profiles;
    }

    /** Names of sub-agents, and the profile of each. */
    private static Map<String, String> subAgents(@Nullable List<String> wanted, Map<String, String> profiles) {
        Map<String, String> found = new LinkedHashMap<>();
        for (String one : wanted == null
                ? USUAL_AGENTS.stream().filter(profiles::containsKey).toList()
                : wanted) {
            String[] nameAndProfile = one.contains("=") ? one.split("=", 2) : new String[] {one, one};
            if (!profiles.containsKey(nameAndProfile[1])) {
                throw new BrigException(
                        ErrorCode.UNKNOWN_AGENT,
                        "there is no agent profile '" + nameAndProfile[1] + "' here; there are " + profiles.keySet());
            }
            found.put(nameAndProfile[0], nameAndProfile[1]);
        }
        if (found.isEmpty()) {
            throw new BrigException(
                    ErrorCode.UNKNOWN_AGENT,
                    "none of " + USUAL_AGENTS + " is installed here: name a profile, --agent NAME=PROFILE; there are "
                            + profiles.keySet());
        }
        return found;
    }

    private static Path configOf(Path folder) {
        Path commented = folder.resolve("opencode.jsonc");
        return Files.exists(commented) ? commented : folder.resolve("opencode.json");
    }

    private String url() {
        Config.Http http = main.context().config().http();
        return "http://" + http.host() + ":" + http.port();
    }

    private static void putProvider(EditedFile config, Provider provider, Iterable<String> profiles) {
        Headers headers = provider.repository() == null
                ? new Headers(null, null)
                : new Headers(encoded(provider.repository()), provider.apply());
        Map<String, OfferedModel> models = new LinkedHashMap<>();
        for (String profile : profiles) {
            models.put(profile, new OfferedModel(profile + " behind the wall", true, true));
        }
        config.put(
                List.of("provider", "brig"),
                JsonObject.of(new WrittenProvider(
                        "@ai-sdk/openai-compatible",
                        "Brig",
                        new ProviderOptions(
                                provider.url() + "/openai/v1", "{file:" + fromHome(tokenFile()) + "}", headers),
                        models)));
    }

    /** A header is ASCII. */
    private static String encoded(Path path) {
        return URLEncoder.encode(path.toString(), StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("%2F", "/");
    }

    private static void putAgents(
            EditedFile config, Map<String, String> subAgents, List<String> remote, List<String> local) {
        Map<String, String> all = new LinkedHashMap<>();
        String first = subAgents.values().iterator().next();
        config.json().object("agent").names().stream()
                .filter(name -> matches(remote, name) && !matches(local, name))
                .forEach(name -> all.put(name, first));
        // A plain name on the command line is used even if the project does not define it: OpenCode may.
        remote.stream()
                .filter(name -> name.matches("[\\w.-]+") && !matches(local, name))
                .forEach(name -> all.put(name, first));
        all.putAll(subAgents);
        all.forEach((name, profile) -> putAgent(config, name, profile));
    }

    /** An existing one keeps its description and prompt. It gets no OpenCode tools, which would run outside. */
    private static void putAgent(EditedFile config, String name, String profile) {
        JsonObject agent = config.json().object("agent").object(name);
        if (!agent.has("description")) {
            agent = agent.with(
                    "description",
                    "Works behind a wall, in a copy of the project; what it changes comes back as a patch (" + profile
                            + ")");
        }
        config.put(
                List.of("agent", name),
                agent.with("mode", "subagent")
                        .with("model", "brig/" + profile)
                        .with("permission", JsonObject.EMPTY.with("*", "deny")));
    }

    private static boolean matches(List<String> globs, String name) {
        return globs.stream()
                .anyMatch(glob ->
                        FileSystems.getDefault().getPathMatcher("glob:" + glob).matches(Path.of(name)));
    }

    private Path ownConfig() {
        Path named = main.context().configFile();
        return named != null ? named : ConfigFile.ownPlace();
    }

    private static Path tokenFile() {
        return Paths.xdg("XDG_CONFIG_HOME", ".config").resolve("brig/opencode.token");
    }

    /** Relative to the home of whoever runs OpenCode, as the project's file is shared. */
    private static String fromHome(Path file) {
        Path home = Paths.userHome();
        return file.startsWith(home) ? "~/" + home.relativize(file) : file.toString();
    }

    /** Mints a captain's token for a year. */
    private static void mint(GatewayClient client) throws IOException {
        SpawnerRequest.MintToken request = new SpawnerRequest.MintToken(Role.CAPTAIN, "opencode", null, TOKEN_SECONDS);
        String token = client.request(request, TokenView.Minted.class).token();
        Path file = tokenFile();
        Files.createDirectories(file.getParent());
        WholeFile.write(file, token.getBytes(StandardCharsets.UTF_8));
    }

    private static Path record(Path folder) {
        return Paths.xdg("XDG_STATE_HOME", ".local/state")
                .resolve("brig/opencode")
                .resolve(Ids.hashToken(folder.toString()).substring(0, 32) + ".json");
    }

    /** Undo restores the state before the first init. */
    private static void remember(Path folder, EditedFile config) throws IOException {
        Path file = record(folder);
        List<EditedFile.Change> changes = new ArrayList<>();
        boolean made = !config.existed();
        if (Files.exists(file)) {
            Initialized earlier = Json.read(Files.readAllBytes(file), Initialized.class);
            changes.addAll(earlier.changes());
            made = earlier.made();
        }
        changes.addAll(config.changes());
        Files.createDirectories(file.getParent());
        Files.write(file, Json.write(new Initialized(config.file().toString(), made, changes)));
    }

    @Command(
            description = "Undo what init wrote.",
            mixinStandardHelpOptions = true,
            footer = {"", "Parts that were changed by hand since then are kept and listed."})
    int undo(
            @Option(names = "--dry-run", description = "Only show the change.") boolean dryRun,
            @Parameters(
                            paramLabel = "FOLDER",
                            arity = "0..1",
                            defaultValue = ".",
                            description = "The folder of the project. Default: the current folder.")
                    Path project)
            throws IOException {
        Path folder = project.toRealPath();
        Path file = record(folder);
        if (!Files.exists(file)) {
            throw new BrigException(
                    ErrorCode.NOT_FOUND, "brig opencode init was not run in " + folder + " by this user");
        }
        Initialized record = Json.read(Files.readAllBytes(file), Initialized.class);
        EditedFile config = EditedFile.open(Path.of(record.file()), SCHEMA);
        List<EditedFile.Change> kept = config.undo(record.changes());
        EditedFile own = EditedFile.open(ownConfig(), "{}\n");
        RepositoryCommand.remove(own, folder);
        main.terminal().verbatim(config.diff() + own.diff());
        kept.forEach(
                change -> main.terminal().note(String.join(".", change.path()) + " stays, for it was changed since"));
        if (!dryRun) {
            own.write(false);
            config.write(record.made());
            Files.delete(file);
        }
        return 0;
    }
}
