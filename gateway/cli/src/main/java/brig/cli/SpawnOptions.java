package brig.cli;

import brig.project.DevcontainerSettings;
import brig.project.ImageReference;
import brig.protocol.BrigException;
import brig.protocol.Ids;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.spawn.Budget;
import brig.protocol.spawn.PermissionMode;
import brig.protocol.spawn.RootOverlay;
import brig.protocol.spawn.Setup;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.spawn.SpawnRequest.WorkspaceMode;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The common options of {@code run} and {@code spawn}. */
final class SpawnOptions {
    /** The name of this interface. */
    static final String CLIENT = "cli";

    @Parameters(index = "0", paramLabel = "AGENT", description = "The agent profile. 'brig agents' lists them.")
    private String agent = "";

    @Parameters(
            index = "1..*",
            paramLabel = "MESSAGE",
            description = "The first message. Words are joined with spaces.")
    private List<String> message = List.of();

    @Option(names = "--task-id", paramLabel = "ID", description = "Your name for the session.")
    private @Nullable String taskId;

    @ArgGroup
    private HostOptions where = new HostOptions();

    @ArgGroup
    private Folder folder = new Folder();

    /** At most one of them. */
    private static final class Folder {
        @Option(
                names = {"-w", "--workspace"},
                paramLabel = "FOLDER",
                description =
                        "The folder to work in, below one of worker.workspaceBases. Default: a new folder, which is "
                                + "removed with the session if it stays empty.")
        private @Nullable Path workspace;

        @Option(
                names = {"-r", "--repository"},
                paramLabel = "FOLDER",
                description = "Work in a worktree of this git repository, on the branch brig/ID.")
        private @Nullable Path repository;

        @Option(
                names = {"-s", "--snapshot"},
                paramLabel = "FOLDER",
                description = "Same as --repository, beginning with the uncommitted changes of tracked files.")
        private @Nullable Path snapshot;

        @Option(
                names = {"-c", "--copy"},
                paramLabel = "FOLDER",
                description = "Work in a copy-on-write clone of this folder, without its private files. Needs XFS "
                        + "or Btrfs; refused elsewhere.")
        private @Nullable Path copy;

        @Nullable
        Path any() {
            return Stream.of(workspace, repository, snapshot, copy)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
        }

        WorkspaceMode mode() {
            return repository != null
                    ? WorkspaceMode.WORKTREE
                    : snapshot != null
                            ? WorkspaceMode.SNAPSHOT
                            : copy != null ? WorkspaceMode.COPY : WorkspaceMode.FOLDER;
        }
    }

    @Option(
            names = "--share-workspace",
            description =
                    "Work in the folder even if one of your own live sessions works there. As admin, also if another "
                            + "captain's session does, or has left the folder.")
    private boolean share;

    @Option(
            names = "--model",
            paramLabel = "NAME",
            description = "The model that the agent uses. Refused if its profile has no setting for it.")
    private @Nullable String model;

    @Option(
            names = "--tools",
            paramLabel = "NAME",
            split = ",",
            description =
                    "The only tools that the agent may use, such as read,grep. Refused if its profile has no setting for it.")
    private List<String> tools = List.of();

    @Option(
            names = "--system-prompt",
            paramLabel = "TEXT",
            description = "Instructions in addition to the agent's own. Refused if its profile has no setting for it.")
    private @Nullable String systemPrompt;

    @Option(
            names = "--permissions",
            paramLabel = "MODE",
            description = "What happens when the agent asks to use a tool: allow, ask (a person decides), or deny."
                    + " No wider than its profile.")
    private @Nullable String permissions;

    @Option(
            names = "--policy",
            paramLabel = "NAME",
            description = "The policy of the wall, instead of the agent's own. 'brig agents' lists them.")
    private @Nullable String policy;

    @Option(
            names = "--wall",
            paramLabel = "KIND",
            description =
                    "The kind of wall: bwrap, gvisor for a second kernel behind it, or vm for a virtual machine; min:gvisor for that or a stronger one."
                            + " Refused where it cannot be had, never replaced by a weaker one.")
    private @Nullable String wall;

    @Option(
            names = "--root",
            paramLabel = "ROOT",
            description =
                    "The programs and libraries inside the wall: host, or oci:NAME for an image of 'brig image list'.")
    private @Nullable String root;

    @Option(
            names = "--root-overlay",
            paramLabel = "WHAT",
            description =
                    "Let the agent write into an image that is its root: discard throws it away at the end, keep leaves it"
                            + " to the next session of your project. none: read-only.")
    private @Nullable String rootOverlay;

    @Option(
            names = "--devcontainer",
            description =
                    "Have as root the image that the folder's devcontainer.json names ('brig image pull' takes it in"
                            + " before), and its variables, and run its commands before the agent. 'brig devcontainer"
                            + " check' shows what it has.")
    private boolean devcontainer;

    @Option(
            names = {"-e", "--env"},
            paramLabel = "NAME=VALUE",
            mapFallbackValue = "",
            description =
                    "Set this variable for the agent, if the policy lets it in. Repeatable. Not for secrets: others can read it.")
    private Map<String, String> env = new LinkedHashMap<>();

    @Option(
            names = "--prepare",
            paramLabel = "LINE",
            description =
                    "Run this line of shell behind the wall before the agent, such as 'npm ci'. Repeatable, in order.")
    private List<String> prepare = List.of();

    @Option(
            names = "--provider",
            paramLabel = "NAME",
            description =
                    "Run in a sandbox of its own, which that provider of the settings makes (providers in brig.json).",
            defaultValue = SpawnRequest.Claim.LOCAL,
            showDefaultValue = CommandLine.Help.Visibility.NEVER)
    private String provider = SpawnRequest.Claim.LOCAL;

    @Option(
            names = "--request-id",
            paramLabel = "UUID",
            description =
                    "Makes the request repeatable: within 24 hours, the same id starts nothing and prints the first answer.")
    private @Nullable String requestId;

    @Option(
            names = "--project",
            paramLabel = "NAME",
            description = "The project of the session. Request ids are unique within it.",
            defaultValue = "")
    private String project = "";

    @Option(
            names = "--env-allowlist",
            paramLabel = "NAME",
            split = ",",
            description = "Pass only these of the variables that the policy lets in.")
    private @Nullable List<String> variables;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "End each process after this time.",
            defaultValue = "0")
    private long timeoutSeconds;

    @Option(
            names = "--budget",
            paramLabel = "LIMITS",
            description = "What the session and all below it may use up, such as 5usd,20min,1000000tokens; also"
                    + " 500mb (traffic), 10spawns, and what happens then: refuse (requests), ask or end.")
    private @Nullable String budget;

    @Option(
            names = "--lease",
            paramLabel = "SECONDS",
            defaultValue = "0",
            description = "End the session if no captain was connected to it for this time.")
    private long leaseSeconds;

    @Option(
            names = "--wait",
            paramLabel = "TIME",
            description = "If no worker is free, wait this long for one, such as 30s, instead of being refused.")
    private @Nullable String wait;

    @Option(
            names = "--resume",
            paramLabel = "SESSION_ID",
            description = "Continue an earlier session of the agent, in the same project or workspace.")
    private @Nullable String resume;

    @Option(
            names = "--checkpoints",
            paramLabel = "auto",
            description = "auto: keep what is in the worktree before each message to the agent, for 'brig restore' and"
                    + " 'brig fork'. Needs --repository or --snapshot.")
    private @Nullable String checkpoints;

    @Option(
            names = "--parent",
            paramLabel = "ID",
            description = "The session that this one works for: whoever answers for that one answers for this one too.")
    private @Nullable String parent;

    @Option(
            names = "--tty",
            description = "Give the agent a terminal of its own instead of messages; its profile must say how.")
    private boolean tty;

    /** Whether the agent gets a terminal. */
    boolean tty() {
        return tty;
    }

    /** The message on the command line; null for none. */
    @Nullable
    String message() {
        return message.isEmpty() ? null : String.join(" ", message);
    }

    String agent() {
        return agent;
    }

    private SpawnRequest.Continuation.@Nullable Checkpoints checkpoints() {
        if (checkpoints != null && !checkpoints.equals("auto")) {
            throw BrigException.invalid("--checkpoints", "must be auto");
        }
        return checkpoints == null ? null : SpawnRequest.Continuation.Checkpoints.AUTO;
    }

    private static @Nullable String absolute(@Nullable Path path) {
        return path == null ? null : path.toAbsolutePath().normalize().toString();
    }

    /** A folder of the session's host: of another one only an absolute path says which. */
    private static @Nullable String folderOn(SpawnRequest.Place place, @Nullable Path path) {
        if (path != null && !path.isAbsolute() && !place.equals(SpawnRequest.Place.HERE)) {
            throw BrigException.invalid("workspace", "must be an absolute path where another host is named");
        }
        return absolute(path);
    }

    private @Nullable DevcontainerSettings devcontainer(SpawnRequest.Place place) {
        if (!devcontainer) {
            return null;
        }
        Path project = folder.any();
        if (root != null || project == null || !place.equals(SpawnRequest.Place.HERE)) {
            throw BrigException.invalid(
                    "--devcontainer", "goes with a folder of this host (-w, -r, -s or -c), and not with --root");
        }
        Path file = FileOfProject.find(project, DevcontainerSettings.NAMES);
        DevcontainerSettings settings =
                FileOfProject.read(file, DevcontainerSettings.BYTES_MAX, DevcontainerSettings::read);
        if (settings.needsOther()) {
            throw BrigException.invalid(
                    "--devcontainer", "finds no image of a registry in " + file + ", and Brig builds none");
        }
        return settings;
    }

    private @Nullable String root(@Nullable DevcontainerSettings settings) {
        ImageReference image = settings == null ? null : settings.image();
        return image == null ? root : "oci:" + image.usualName();
    }

    /** What the command line says comes after what the file says. */
    private Setup setup(@Nullable DevcontainerSettings settings) {
        Setup file = settings == null ? Setup.NONE : settings.setup();
        Map<String, String> variables = new LinkedHashMap<>(file.variables());
        variables.putAll(env);
        return new Setup(
                variables,
                Stream.concat(file.prepare().stream(), prepare.stream()).toList());
    }

    SpawnerRequest.Spawn request(@Nullable String prompt, boolean once) {
        return request(prompt, once, false);
    }

    SpawnerRequest.Spawn request(@Nullable String prompt, boolean once, boolean record) {
        SpawnRequest.Place place = where.place();
        DevcontainerSettings settings = devcontainer(place);
        SpawnRequest request = new SpawnRequest(
                taskId,
                folderOn(place, folder.copy != null ? folder.copy : folder.workspace),
                new SpawnRequest.AgentConfig(
                        agent,
                        model,
                        tools,
                        systemPrompt,
                        permissions == null ? null : PermissionMode.of("--permissions", permissions)),
                prompt,
                once,
                policy,
                folder.mode(),
                absolute(folder.repository != null ? folder.repository : folder.snapshot),
                share,
                new SpawnRequest.Claim(
                        requestId == null ? null : Ids.requestId("--request-id", requestId), provider, project),
                new SpawnRequest.Bounds(
                        variables,
                        timeoutSeconds,
                        leaseSeconds,
                        budget == null ? null : Budget.parse("--budget", budget),
                        wall),
                new SpawnRequest.Continuation(resume, record, tty ? TtyClient.size() : null, checkpoints()),
                parent,
                place.rooted(root(settings))
                        .overlaid(rootOverlay == null ? null : RootOverlay.of("--root-overlay", rootOverlay)),
                setup(settings));
        return new SpawnerRequest.Spawn(request, CLIENT, wait);
    }
}
