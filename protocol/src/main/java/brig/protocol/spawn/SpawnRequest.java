package brig.protocol.spawn;

import brig.protocol.Ids;
import brig.protocol.json.Fields;
import brig.protocol.record.Default;
import brig.protocol.record.Flat;
import brig.protocol.record.Name;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Range;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a captain asks for, the same on every way in. Each constructor checks what its types cannot say.
 *
 * @param taskId the captain's name for it, {@code [A-Za-z0-9][A-Za-z0-9._-]{0,127}}; null takes the spawn_id
 * @param workspace absolute path of the folder that the agent works in, or in a copy of; null makes a new one named
 *     after the task; never null in {@code COPY}
 * @param agentConfig which agent, and what it is told
 * @param prompt the first user message, sent as soon as the worker runs; null for none
 * @param once the spawn ends after its first {@code done}
 * @param policy what the agent's wall lets in; null leaves it to the agent's profile
 * @param workspaceMode what becomes of {@code workspace} or {@code repository}
 * @param repository absolute path of a git repository, where the mode is one of a worktree, and there never null
 * @param shareWorkspace whether it may work where another live session does
 * @param claim what makes a repetition of this request known as one
 * @param bounds what the captain narrows further than the policy does
 * @param talk what becomes of the talk with the agent
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
        @Flat Continuation talk) {
    /** @throws brig.protocol.BrigException {@code INVALID_FIELD} naming the field */
    public SpawnRequest {
        if (taskId != null && !Ids.isTaskId(taskId)) {
            throw Fields.invalid("task_id", "must match [A-Za-z0-9][A-Za-z0-9._-]{0,127}");
        }
        requirePath("workspace", workspace);
        if (workspaceMode.isWorktree() != (repository != null)) {
            throw Fields.invalid("repository", "goes with workspace_mode worktree or snapshot, which need it");
        }
        requirePath("repository", repository);
        if (workspaceMode.isWorktree() && workspace != null) {
            throw Fields.invalid("workspace", "is chosen by Brig where a repository is named");
        }
        if (workspaceMode == WorkspaceMode.COPY && workspace == null) {
            throw Fields.invalid("workspace", "is the folder to copy in workspace_mode copy, which needs it");
        }
    }

    private static void requirePath(String name, @Nullable String path) {
        if (path != null && (!path.startsWith("/") || path.indexOf('\0') >= 0)) {
            throw Fields.invalid(name, "must be an absolute path");
        }
    }

    /**
     * Which agent, and what it is told. What may become an argument of its command line cannot hold a NUL.
     *
     * @param name of an agent profile
     * @param model which model the agent asks; null leaves it to the agent. Refused where its profile has no place for it
     * @param tools what the agent may use, and nothing else; empty for all that it has. Refused likewise
     * @param systemPrompt what the agent is told beside its own instructions; null for nothing. Refused likewise
     */
    public record AgentConfig(
            @NotEmpty String name,
            @NotEmpty @Nullable String model,
            List<String> tools,

            @NotEmpty @Name(value = "system_prompt", old = "systemPrompt") @Nullable
            String systemPrompt) {
        public AgentConfig {
            requireArgument("name", name);
            requireArgument("model", model);
            requireArgument("system_prompt", systemPrompt);
            tools.forEach(tool -> requireArgument("tools", tool));
        }

        private static void requireArgument(String name, @Nullable String value) {
            if (value != null && value.indexOf('\0') >= 0) {
                throw Fields.invalid(name, "must not contain a NUL");
            }
        }
    }

    /**
     * Who asks, which no request says of itself.
     *
     * @param captain whose sessions and folders are its own
     * @param admin whether those of all captains are within its reach
     * @param via the way in, as the frames of its messages tell it; null where that is not known
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
     * The same request again is not a second one.
     *
     * @param requestId a UUID in lower case; null where each request is a new one
     * @param provider who is to run the worker
     * @param project the captain's own name for what the work belongs to, empty for none: request ids count within both
     */
    public record Claim(
            @Nullable String requestId,
            @Default(LOCAL) String provider,
            @Default("") String project) {
        /** The worker-agent of the gateway that is asked. */
        public static final String LOCAL = "local";

        public static final Claim NONE = new Claim(null, LOCAL, "");

        private static final Pattern PROJECT = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/-]{0,127}");

        public Claim {
            if (!project.isEmpty() && !PROJECT.matcher(project).matches()) {
                throw Fields.invalid("project", "must match " + PROJECT);
            }
            if (!Ids.isTaskId(provider)) {
                throw Fields.invalid("provider", "must match [A-Za-z0-9][A-Za-z0-9._-]{0,127}");
            }
            requestId = requestId == null ? null : Ids.requestId("request_id", requestId);
        }
    }

    /**
     * What a request allows at most; the policy may allow less.
     *
     * @param envAllowlist variables that the agent may get, each once and sorted; null for all that the policy lets in
     * @param timeoutSeconds how long each process may run, 0 for as long as the policy allows
     * @param leaseSeconds how long the spawn stays while no captain is connected, 0 for as long as it likes
     */
    public record Bounds(
            @Nullable List<String> envAllowlist,

            @OmitEmpty @Range(min = 1, max = TIMEOUT_SECONDS_MAX)
            long timeoutSeconds,

            @OmitEmpty @Range(min = 1, max = LEASE_SECONDS_MAX)
            long leaseSeconds) {
        /** So long a captain may be away: long enough for a restart of anything, short enough for nobody to pay for it. */
        public static final long LEASE_SECONDS_MAX = 3600;

        public static final long TIMEOUT_SECONDS_MAX = 30 * 24 * 3600;

        public static final Bounds NONE = new Bounds(null, 0, 0);

        public Bounds {
            envAllowlist = envAllowlist == null
                    ? null
                    : envAllowlist.stream().distinct().sorted().toList();
        }
    }

    /**
     * How the talk with the agent begins, and whether it is kept.
     *
     * @param resume the agent's own id of an earlier session of the same project to go on with; null begins a new one
     * @param record whether all that the agent writes is kept on its host, with its time
     */
    public record Continuation(
            @Nullable String resume, @OmitEmpty boolean record) {
        public static final Continuation NEW = new Continuation(null, false);

        private static final Pattern SESSION = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.:-]{0,255}");

        /** The id may become an argument of the agent's command line; as an option it would mean something else. */
        public Continuation {
            if (resume != null && !SESSION.matcher(resume).matches()) {
                throw Fields.invalid("resume", "must match " + SESSION);
            }
        }
    }

    /** What an agent works in; as JSON in lower case. */
    public enum WorkspaceMode {
        /** The folder itself. */
        FOLDER,
        /** A worktree of its own, of a git repository, as its HEAD is. */
        WORKTREE,
        /** The same as the repository is: with changes of tracked files that are not committed. */
        SNAPSHOT,
        /** A copy of its own, which shares what is not changed with the folder. */
        COPY;

        /** Whether it is made of a repository. */
        public boolean isWorktree() {
            return this == WORKTREE || this == SNAPSHOT;
        }
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
                Continuation.NEW);
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

    /** The same request with what the agent is really told: that model, and its own names of those tools. */
    public SpawnRequest told(@Nullable String toldModel, List<String> toldTools) {
        return with(new AgentConfig(agent(), toldModel, toldTools, systemPrompt()), prompt, claim);
    }

    /** The same request under that id. */
    public SpawnRequest claimedAs(String requestId) {
        return with(agentConfig, prompt, new Claim(requestId, claim.provider(), claim.project()));
    }

    /** What may be kept: a prompt may hold what its writer would not like to find on a disk. */
    public SpawnRequest withoutPrompt() {
        return with(agentConfig, null, claim);
    }

    private SpawnRequest with(AgentConfig otherAgent, @Nullable String otherPrompt, Claim otherClaim) {
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
                talk);
    }
}
