package brig.protocol.spawn;

import brig.protocol.BrigException;
import brig.protocol.Ids;
import brig.protocol.record.Default;
import brig.protocol.record.Flat;
import brig.protocol.record.Name;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.OrTrue;
import brig.protocol.record.Range;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A captain's request for a session, the same on every interface. The constructors check what the types cannot express.
 *
 * @param taskId the captain's name for it, {@code [A-Za-z0-9][A-Za-z0-9._-]{0,127}}; null takes the spawn_id
 * @param workspace absolute path of the folder to work in, or in {@code COPY} to copy, where it is never null; null
 *     creates one named after the task
 * @param agentConfig the agent and its settings
 * @param prompt the first user message, sent as soon as the worker runs; null for none
 * @param once the spawn ends after its first {@code done}
 * @param policy the policy of the agent's wall; null leaves it to the agent's profile
 * @param workspaceMode how {@code workspace} or {@code repository} is used
 * @param repository absolute path of a git repository; never null in worktree modes, null in others
 * @param shareWorkspace whether it may share the folder of another live session
 * @param claim identifies repetitions of this request
 * @param bounds the captain's limits, which narrow those of the policy
 * @param talk how the agent's own session is continued and recorded
 * @param parent any name of the session that this one works for; null for none
 * @param place where its worker is to run
 */
public record SpawnRequest(
        @Nullable String taskId,
        @Nullable String workspace,
        AgentConfig agentConfig,
        @Nullable String prompt,
        boolean once,
        @Nullable String policy,
        @Default("folder") WorkspaceMode workspaceMode,
        @Nullable String repository,
        @OmitEmpty boolean shareWorkspace,
        @Flat Claim claim,
        @Flat Bounds bounds,
        @Flat Continuation talk,
        @NotEmpty @Nullable String parent,
        @Flat Place place) {
    /** @throws brig.protocol.BrigException {@code INVALID_FIELD} naming the field */
    public SpawnRequest {
        if (taskId != null && !Ids.isTaskId(taskId)) {
            throw BrigException.invalid("task_id", "must match [A-Za-z0-9][A-Za-z0-9._-]{0,127}");
        }
        requirePath("workspace", workspace);
        if (workspaceMode.isWorktree() != (repository != null)) {
            throw BrigException.invalid("repository", "goes with workspace_mode worktree or snapshot, which need it");
        }
        requirePath("repository", repository);
        if (workspaceMode.isWorktree() && workspace != null) {
            throw BrigException.invalid("workspace", "is chosen by Brig where a repository is named");
        }
        if (workspaceMode == WorkspaceMode.COPY && workspace == null) {
            throw BrigException.invalid("workspace", "is the folder to copy in workspace_mode copy, which needs it");
        }
        if (place.tunnel() != null && (workspace != null || workspaceMode != WorkspaceMode.FOLDER)) {
            throw BrigException.invalid("tunnel", "is itself the folder to work in: no workspace goes with it");
        }
        if (talk.checkpoints() != null && !workspaceMode.isWorktree()) {
            throw BrigException.invalid("checkpoints", "are of worktrees: a repository goes with them");
        }
        if (talk.tty() != null) {
            requireNoTurns(prompt, once, place);
        }
    }

    /** An agent on a terminal is given keys, and its turns are not known. */
    private static void requireNoTurns(@Nullable String prompt, boolean once, Place place) {
        if (prompt != null) {
            throw BrigException.invalid("prompt", "does not go with tty: an agent on a terminal takes keys");
        }
        if (once) {
            throw BrigException.invalid("once", "does not go with tty: an agent on a terminal has no turns");
        }
        if (place.tunnel() != null) {
            throw BrigException.invalid("tunnel", "does not go with tty");
        }
    }

    private static void requirePath(String name, @Nullable String path) {
        if (path != null && (!path.startsWith("/") || path.indexOf('\0') >= 0)) {
            throw BrigException.invalid(name, "must be an absolute path");
        }
    }

    /**
     * The agent and its settings. Values that may become command line arguments cannot contain a NUL.
     *
     * @param name of an agent profile
     * @param model the model to use; null leaves it to the agent. Refused if the profile has no place for it
     * @param tools the only tools the agent may use; empty for all. Refused likewise
     * @param systemPrompt instructions besides the agent's own; null for none. Refused likewise
     * @param permissions what happens to its requests to use tools; null leaves it to the profile, which it cannot widen
     */
    public record AgentConfig(
            @NotEmpty String name,
            @NotEmpty @Nullable String model,
            List<String> tools,

            @NotEmpty @Name(value = "system_prompt", old = "systemPrompt") @Nullable
            String systemPrompt,

            @Nullable PermissionMode permissions) {
        /** The settings of an agent whose permissions are its profile's. */
        public AgentConfig(String name, @Nullable String model, List<String> tools, @Nullable String systemPrompt) {
            this(name, model, tools, systemPrompt, null);
        }

        public AgentConfig {
            requireArgument("name", name);
            requireArgument("model", model);
            requireArgument("system_prompt", systemPrompt);
            tools.forEach(tool -> requireArgument("tools", tool));
        }

        private static void requireArgument(String name, @Nullable String value) {
            if (value != null && value.indexOf('\0') >= 0) {
                throw BrigException.invalid(name, "must not contain a NUL");
            }
        }
    }

    /**
     * The requester, which a request itself never names.
     *
     * @param captain the owner of the sessions and folders
     * @param admin whether it may reach those of all captains
     * @param via the interface, as the frames of its messages report it; null if unknown
     */
    public record Asker(
            @NotEmpty String captain,
            @OmitEmpty boolean admin,
            @Nullable String via) {
        public Asker(String captain, boolean admin) {
            this(captain, admin, null);
        }
    }

    /**
     * Makes the request idempotent.
     *
     * @param requestId a UUID in lower case; null makes each request a new one
     * @param provider who is to run the worker
     * @param project the captain's own name for the work, empty for none; request ids are unique within provider and
     *     project
     */
    public record Claim(
            @Nullable String requestId,
            @Default(LOCAL) String provider,
            @Default("") String project) {
        /** The worker-agent of the gateway itself. */
        public static final String LOCAL = "local";

        public static final Claim NONE = new Claim(null, LOCAL, "");

        private static final Pattern PROJECT = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/-]{0,127}");

        public Claim {
            if (!project.isEmpty() && !PROJECT.matcher(project).matches()) {
                throw BrigException.invalid("project", "must match " + PROJECT);
            }
            if (!Ids.isTaskId(provider)) {
                throw BrigException.invalid("provider", "must match [A-Za-z0-9][A-Za-z0-9._-]{0,127}");
            }
            requestId = requestId == null ? null : Ids.requestId("request_id", requestId);
        }
    }

    /**
     * The limits of the request; the policy may be stricter.
     *
     * @param envAllowlist variables that the agent may get, each once and sorted; null for all that the policy allows
     * @param timeoutSeconds how long each process may run, 0 for as long as the policy allows
     * @param leaseSeconds how long the spawn survives without a connected captain, 0 for no limit
     * @param budget what it may use up; null leaves it to the profile and the policy
     * @param wall the kind of its wall, as {@link WallDemand} has it; null leaves it to the profile and the policy
     */
    public record Bounds(
            @Nullable List<String> envAllowlist,

            @OmitEmpty @Range(min = 1, max = TIMEOUT_SECONDS_MAX)
            long timeoutSeconds,

            @OmitEmpty @Range(min = 1, max = LEASE_SECONDS_MAX)
            long leaseSeconds,

            @Nullable Budget budget,
            @NotEmpty @Nullable String wall) {
        /** Long enough for any restart, short enough to limit the cost of an abandoned spawn. */
        public static final long LEASE_SECONDS_MAX = 3600;

        public static final long TIMEOUT_SECONDS_MAX = 30 * 24 * 3600;

        public static final Bounds NONE = new Bounds(null, 0, 0);

        /** Without a budget, behind the usual wall. */
        public Bounds(@Nullable List<String> envAllowlist, long timeoutSeconds, long leaseSeconds) {
            this(envAllowlist, timeoutSeconds, leaseSeconds, null, null);
        }

        public Bounds {
            try {
                wall = wall == null ? null : WallDemand.parse(wall).toString();
            } catch (IllegalArgumentException e) {
                throw BrigException.invalid("wall", String.valueOf(e.getMessage()));
            }
            envAllowlist = envAllowlist == null
                    ? null
                    : envAllowlist.stream().distinct().sorted().toList();
        }
    }

    /**
     * How the agent's own session begins, and what is kept of it.
     *
     * @param resume the agent's own id of an earlier session of the same project to continue; null begins a new one
     * @param record whether all output of the agent is kept on its host, with timestamps
     * @param tty the size of the terminal that the agent gets instead of pipes; null for none
     * @param checkpoints when checkpoints are taken that nobody asks for; null for never
     */
    public record Continuation(
            @Nullable String resume,
            @OmitEmpty boolean record,
            @OrTrue @Nullable TerminalSize tty,
            @Nullable Checkpoints checkpoints) {
        /** When checkpoints are taken that nobody asks for. */
        public enum Checkpoints {
            /** Before each message to the agent, but the first: that one has the beginning. */
            AUTO
        }

        public static final Continuation NEW = new Continuation(null, false);

        /** Of an agent without a terminal. */
        public Continuation(@Nullable String resume, boolean record) {
            this(resume, record, null, null);
        }

        private static final Pattern SESSION = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.:-]{0,255}");

        /** Whether that may be an agent's own id of a session. It may become a command line argument, so it must not look like an option. */
        public static boolean isSession(String id) {
            return SESSION.matcher(id).matches();
        }

        public Continuation {
            if (resume != null && !isSession(resume)) {
                throw BrigException.invalid("resume", "must match " + SESSION);
            }
            if (tty != null && record) {
                throw BrigException.invalid("record", "does not go with tty: the stream itself has all of a terminal");
            }
            if (tty != null && checkpoints != null) {
                throw BrigException.invalid(
                        "checkpoints", "do not go with tty: an agent on a terminal gets no messages");
            }
        }
    }

    /**
     * The host for the worker: a named one, or any with all those labels; without both the gateway's own.
     *
     * @param host its name; {@code local} is the gateway's own host
     * @param on labels; the host with the fewest workers is taken
     * @param tunnel the folder of another host that an agent of the gateway's own host works in; null for none
     * @param furtherTunnels folders of further hosts for that agent, each of another one
     * @param root the root file system of its wall, as in {@link RootName}; null is the host's
     * @param rootOverlay what becomes of what it writes there; null leaves it to the profile and the project
     */
    public record Place(
            @NotEmpty @Nullable String host,
            @OmitEmpty List<String> on,
            @Nullable Tunnel tunnel,
            @OmitEmpty List<Tunnel> furtherTunnels,
            @NotEmpty @Nullable String root,
            @Nullable RootOverlay rootOverlay) {
        /** The name of the gateway's own host. */
        public static final String LOCAL = "local";

        /** The gateway's own host. */
        public static final Place HERE = new Place(null, List.of());

        /** Each has a mount and a shell that waits. */
        public static final int TUNNELS_MAX = 8;

        private static final int LABELS_MAX = 16;
        private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,31}");
        private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._=-]{0,63}");

        public Place {
            if (host != null && !isHostName(host)) {
                throw BrigException.invalid("host", "must match " + NAME);
            }
            if (host != null && !on.isEmpty()) {
                throw BrigException.invalid("on", "does not go with host");
            }
            if (on.size() > LABELS_MAX || !on.stream().allMatch(Place::isLabel)) {
                throw BrigException.invalid("on", "has at most " + LABELS_MAX + " labels, which must match " + LABEL);
            }
            host = LOCAL.equals(host) ? null : host;
            if (tunnel != null && (host != null || !on.isEmpty())) {
                throw BrigException.invalid(
                        "tunnel", "is for agents of the gateway's own host: no host or on goes with it");
            }
            on = on.stream().distinct().sorted().toList();
            if (!furtherTunnels.isEmpty() && (tunnel == null || furtherTunnels.size() >= TUNNELS_MAX)) {
                throw BrigException.invalid(
                        "further_tunnels", "go with a tunnel, and are at most " + (TUNNELS_MAX - 1));
            }
            List<Tunnel> tunnels = all(tunnel, furtherTunnels);
            if (tunnels.stream().map(Tunnel::host).distinct().count() != tunnels.size()) {
                throw BrigException.invalid(
                        "further_tunnels", "are of different hosts, and of another one than tunnel");
            }
            if (root != null && RootName.parse("root", root).image() != null && tunnel != null) {
                throw BrigException.invalid("root", "is the host's where a tunnel is named");
            }
        }

        /** A place without a tunnel. */
        public Place(@Nullable String host, List<String> on) {
            this(host, on, null, List.of(), null, null);
        }

        /** A copy with that root. */
        public Place rooted(@Nullable String otherRoot) {
            return new Place(host, on, tunnel, furtherTunnels, otherRoot, rootOverlay);
        }

        /** A copy in which that becomes of what it writes into its root. */
        public Place overlaid(@Nullable RootOverlay other) {
            return new Place(host, on, tunnel, furtherTunnels, root, other);
        }

        /** @param tunnels the agent's own first */
        public static Place of(@Nullable String host, List<String> on, List<Tunnel> tunnels) {
            return tunnels.isEmpty()
                    ? new Place(host, on)
                    : new Place(host, on, tunnels.getFirst(), tunnels.subList(1, tunnels.size()), null, null);
        }

        /** All tunnels, the agent's own first. */
        public List<Tunnel> tunnels() {
            return all(tunnel, furtherTunnels);
        }

        private static List<Tunnel> all(@Nullable Tunnel first, List<Tunnel> further) {
            return Stream.concat(Stream.ofNullable(first), further.stream()).toList();
        }

        /** Whether a host may have that name. */
        public static boolean isHostName(String text) {
            return NAME.matcher(text).matches();
        }

        public static boolean isLabel(String text) {
            return LABEL.matcher(text).matches();
        }
    }

    /**
     * The files and commands of an agent are those of another host, while the agent itself runs here.
     *
     * @param host its name
     * @param folder the agent's folder there: absolute, or {@code ~} or {@code ~/…} for the home of the login's user
     * @param at the path of that folder for the agent; null for the same as there
     */
    public record Tunnel(
            @NotEmpty String host,
            @NotEmpty String folder,
            @NotEmpty @Nullable String at) {
        /** The home of the login's user. */
        public static final String HOME = "~";

        public Tunnel {
            if (!Place.isHostName(host) || host.equals(Place.LOCAL)) {
                throw BrigException.invalid("tunnel.host", "must be the name of another host");
            }
            requireFolder("tunnel.folder", folder.equals(HOME) ? "/home" : folder.replaceFirst("^~/", "/"));
            if (at != null) {
                requireFolder("tunnel.at", at);
            }
        }

        private static void requireFolder(String name, String path) {
            boolean isPlain = path.startsWith("/")
                    && path.length() > 1
                    && path.indexOf('\0') < 0
                    && path.equals(Path.of(path).normalize().toString());
            if (!isPlain) {
                throw BrigException.invalid(name, "must be an absolute path without . and .., and not the root");
            }
        }
    }

    /** The kind of workspace; lower case in JSON. */
    public enum WorkspaceMode {
        /** The folder itself. */
        FOLDER,
        /** A worktree of its own, at the repository's HEAD. */
        WORKTREE,
        /** A worktree with the uncommitted changes of tracked files. */
        SNAPSHOT,
        /** A copy of its own, which shares unchanged data with the folder. */
        COPY;

        /** Whether it is made from a repository. */
        public boolean isWorktree() {
            return this == WORKTREE || this == SNAPSHOT;
        }
    }

    /** A request for the gateway's own host. */
    public SpawnRequest(
            @Nullable String taskId,
            @Nullable String workspace,
            AgentConfig agentConfig,
            @Nullable String prompt,
            boolean once,
            @Nullable String policy,
            WorkspaceMode workspaceMode,
            @Nullable String repository,
            boolean shareWorkspace,
            Claim claim,
            Bounds bounds,
            Continuation talk,
            @Nullable String parent) {
        this(
                taskId,
                workspace,
                agentConfig,
                prompt,
                once,
                policy,
                workspaceMode,
                repository,
                shareWorkspace,
                claim,
                bounds,
                talk,
                parent,
                Place.HERE);
    }

    /** A request that leaves the wall to the agent's profile. */
    public SpawnRequest(
            @Nullable String taskId,
            @Nullable String workspace,
            AgentConfig agentConfig,
            @Nullable String prompt,
            boolean once) {
        this(
                taskId,
                workspace,
                agentConfig,
                prompt,
                once,
                null,
                WorkspaceMode.FOLDER,
                null,
                false,
                Claim.NONE,
                Bounds.NONE,
                Continuation.NEW,
                null);
    }

    /** The name of the agent's profile. */
    public String agent() {
        return agentConfig.name();
    }

    public @Nullable String model() {
        return agentConfig.model();
    }

    public List<String> tools() {
        return agentConfig.tools();
    }

    public @Nullable String systemPrompt() {
        return agentConfig.systemPrompt();
    }

    /** A copy with the model and tools as the agent itself names them. */
    public SpawnRequest told(@Nullable String toldModel, List<String> toldTools) {
        return with(
                new AgentConfig(agent(), toldModel, toldTools, systemPrompt(), agentConfig.permissions()),
                prompt,
                claim,
                parent,
                place);
    }

    /** A copy below that session. */
    public SpawnRequest below(String parentId) {
        return with(agentConfig, prompt, claim, parentId, place);
    }

    /** A copy with that request id. */
    public SpawnRequest claimedAs(String requestId) {
        return with(agentConfig, prompt, new Claim(requestId, claim.provider(), claim.project()), parent, place);
    }

    /** A copy with these instructions besides its own. */
    public SpawnRequest instructed(String instructions) {
        String system = systemPrompt();
        String all = system == null ? instructions : system + "\n\n" + instructions;
        return with(
                new AgentConfig(agent(), model(), tools(), all, agentConfig.permissions()),
                prompt,
                claim,
                parent,
                place);
    }

    /** A copy for a further session, with no id of its own and none of the agent's. */
    public SpawnRequest again(@Nullable String otherTaskId, @Nullable String otherPrompt, boolean otherOnce) {
        return new SpawnRequest(
                otherTaskId,
                workspace,
                agentConfig,
                otherPrompt,
                otherOnce,
                policy,
                workspaceMode,
                repository,
                shareWorkspace,
                new Claim(null, claim.provider(), claim.project()),
                bounds,
                new Continuation(null, talk.record(), talk.tty(), talk.checkpoints()),
                parent,
                place);
    }

    /** A copy that may be stored: the prompt may be confidential. */
    public SpawnRequest withoutPrompt() {
        return with(agentConfig, null, claim, parent, place);
    }

    /** A copy for that host; null is the gateway's own. */
    public SpawnRequest at(@Nullable String host) {
        return with(
                agentConfig,
                prompt,
                claim,
                parent,
                new Place(host, List.of(), null, List.of(), place.root(), place.rootOverlay()));
    }

    /** A copy with that root of its wall. */
    public SpawnRequest rooted(String root) {
        return with(agentConfig, prompt, claim, parent, place.rooted(root));
    }

    /** A copy in which that becomes of what it writes into its root. */
    public SpawnRequest overlaid(RootOverlay overlay) {
        return with(agentConfig, prompt, claim, parent, place.overlaid(overlay));
    }

    private SpawnRequest with(
            AgentConfig otherAgent,
            @Nullable String otherPrompt,
            Claim otherClaim,
            @Nullable String otherParent,
            Place otherPlace) {
        return new SpawnRequest(
                taskId,
                workspace,
                otherAgent,
                otherPrompt,
                once,
                policy,
                workspaceMode,
                repository,
                shareWorkspace,
                otherClaim,
                bounds,
                talk,
                otherParent,
                otherPlace);
    }
}
