package brig.protocol.message;

import brig.protocol.Ids;
import brig.protocol.json.Fields;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a captain asks for, the same on every way in.
 *
 * <p>As JSON: {@code {"task_id"?, "workspace"?, "agent_config": {"name", "model"?, "tools"?, "systemPrompt"?},
 * "prompt"?, "once"?, "policy"?, "workspace_mode"?, "repository"?, "request_id"?, "provider"?, "project"?,
 * "env_allowlist"?, "timeout_seconds"?, "lease_seconds"?, "resume"?, "record"?, "share_workspace"?}}.
 *
 * @param taskId the captain's name for it, {@code [A-Za-z0-9][A-Za-z0-9._-]{0,127}}; null takes the spawn_id
 * @param workspace absolute path of the folder that the agent works in, or in a copy of; null makes a new one named
 *     after the task; never null in {@code COPY}
 * @param agent name of an agent profile
 * @param model which model the agent asks; null leaves it to the agent. Refused where its profile has no place for it
 * @param tools what the agent may use, and nothing else; empty for all that it has. Refused likewise
 * @param systemPrompt what the agent is told beside its own instructions; null for nothing. Refused likewise
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
        String agent,
        @Nullable String model,
        List<String> tools,
        @Nullable String systemPrompt,
        @Nullable String prompt,
        boolean once,
        @Nullable String policy,
        WorkspaceMode workspaceMode,
        @Nullable String repository,
        boolean shareWorkspace,
        Claim claim,
        Bounds bounds,
        Continuation talk) {

    /**
     * Who asks, which no request says of itself.
     *
     * @param captain whose sessions and folders are its own
     * @param admin whether those of all captains are within its reach
     * @param via the way in, as the frames of its messages tell it; null where that is not known
     */
    public record Asker(
            String captain, boolean admin, @Nullable String via) {
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
    public record Claim(@Nullable String requestId, String provider, String project) {
        /** The worker-agent of the gateway that is asked. */
        public static final String LOCAL = "local";

        public static final Claim NONE = new Claim(null, LOCAL, "");
    }

    /**
     * What a request allows at most; the policy may allow less.
     *
     * @param envAllowlist variables that the agent may get, in their order; null for all that the policy lets in
     * @param timeoutSeconds how long each process may run, 0 for as long as the policy allows
     * @param leaseSeconds how long the spawn stays while no captain is connected, 0 for as long as it likes
     */
    public record Bounds(@Nullable List<String> envAllowlist, long timeoutSeconds, long leaseSeconds) {
        /** So long a captain may be away: long enough for a restart of anything, short enough for nobody to pay for it. */
        public static final long LEASE_SECONDS_MAX = 3600;

        public static final Bounds NONE = new Bounds(null, 0, 0);
    }

    /**
     * How the talk with the agent begins, and whether it is kept.
     *
     * @param resume the agent's own id of an earlier session of the same project to go on with; null begins a new one
     * @param record whether all that the agent writes is kept on its host, with its time
     */
    public record Continuation(@Nullable String resume, boolean record) {
        public static final Continuation NEW = new Continuation(null, false);
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
            String agent,
            @Nullable String model,
            List<String> tools,
            @Nullable String systemPrompt,
            @Nullable String prompt,
            boolean once) {
        this(
                taskId,
                workspace,
                agent,
                model,
                tools,
                systemPrompt,
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

    /** The same request with what the agent is really told: that model, and its own names of those tools. */
    public SpawnRequest told(@Nullable String toldModel, List<String> toldTools) {
        return new SpawnRequest(
                taskId,
                workspace,
                agent,
                toldModel,
                toldTools,
                systemPrompt,
                prompt,
                once,
                policy,
                workspaceMode,
                repository,
                shareWorkspace,
                claim,
                bounds,
                talk);
    }

    /** The same request under that id. */
    public SpawnRequest claimedAs(String requestId) {
        return new SpawnRequest(
                taskId,
                workspace,
                agent,
                model,
                tools,
                systemPrompt,
                prompt,
                once,
                policy,
                workspaceMode,
                repository,
                shareWorkspace,
                new Claim(requestId, claim.provider(), claim.project()),
                bounds,
                talk);
    }

    /**
     * The field names of the request itself, for the ways in that have fields of their own beside them; {@code client}
     * counts for who asks.
     */
    public static final Set<String> FIELDS = Set.of(
            "task_id",
            "workspace",
            "agent_config",
            "prompt",
            "once",
            "policy",
            "workspace_mode",
            "repository",
            "request_id",
            "provider",
            "project",
            "env_allowlist",
            "timeout_seconds",
            "lease_seconds",
            "resume",
            "record",
            "share_workspace",
            "client");

    private static final Pattern PROJECT = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/-]{0,127}");
    private static final Pattern SESSION = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.:-]{0,255}");
    private static final long TIMEOUT_SECONDS_MAX = 30 * 24 * 3600;

    private static final Set<String> AGENT_FIELDS = Set.of("name", "model", "tools", "systemPrompt");

    /** Reads and checks a request. @throws BrigException {@code INVALID_FIELD} naming the field */
    public static SpawnRequest read(Fields fields) {
        Fields agent = fields.object("agent_config").only(AGENT_FIELDS);
        String taskId = fields.text("task_id");
        if (taskId != null && !Ids.isTaskId(taskId)) {
            throw Fields.invalid("task_id", "must match [A-Za-z0-9][A-Za-z0-9._-]{0,127}");
        }
        String workspace = fields.text("workspace");
        if (workspace != null && (!workspace.startsWith("/") || workspace.indexOf('\0') >= 0)) {
            throw Fields.invalid("workspace", "must be an absolute path");
        }
        WorkspaceMode mode = mode(fields);
        String repository = fields.text("repository");
        checkPlaces(mode, workspace, repository);
        String name = agent.requiredText("name");
        List<String> tools = agent.texts("tools");
        checkArgument("name", name);
        String model = said(agent, "model");
        String systemPrompt = said(agent, "systemPrompt");
        checkArgument("model", model);
        checkArgument("systemPrompt", systemPrompt);
        tools.forEach(tool -> checkArgument("tools", tool));
        return new SpawnRequest(
                taskId,
                workspace,
                name,
                model,
                tools,
                systemPrompt,
                fields.text("prompt"),
                fields.flag("once"),
                fields.text("policy"),
                mode,
                repository,
                fields.flag("share_workspace"),
                claim(fields),
                bounds(fields),
                talk(fields));
    }

    /** Clients that have nothing to say say it with an empty text, too. */
    private static @Nullable String said(Fields fields, String name) {
        String text = fields.text(name, "");
        return text.isEmpty() ? null : text;
    }

    /** The id may become an argument of the agent's command line; as an option it would mean something else. */
    private static Continuation talk(Fields fields) {
        String resume = fields.text("resume");
        if (resume != null && !SESSION.matcher(resume).matches()) {
            throw Fields.invalid("resume", "must match " + SESSION);
        }
        return new Continuation(resume, fields.flag("record"));
    }

    private static Claim claim(Fields fields) {
        String project = fields.text("project", "");
        if (!project.isEmpty() && !PROJECT.matcher(project).matches()) {
            throw Fields.invalid("project", "must match " + PROJECT);
        }
        String provider = fields.text("provider", Claim.LOCAL);
        if (!Ids.isTaskId(provider)) {
            throw Fields.invalid("provider", "must match [A-Za-z0-9][A-Za-z0-9._-]{0,127}");
        }
        String requestId = fields.text("request_id");
        return new Claim(requestId == null ? null : Ids.requestId("request_id", requestId), provider, project);
    }

    private static Bounds bounds(Fields fields) {
        List<String> variables = fields.has("env_allowlist")
                ? fields.texts("env_allowlist").stream().distinct().sorted().toList()
                : null;
        return new Bounds(
                variables,
                fields.number("timeout_seconds", 1, TIMEOUT_SECONDS_MAX, 0),
                fields.number("lease_seconds", 1, Bounds.LEASE_SECONDS_MAX, 0));
    }

    /** It is said, not guessed: a captain that misspells a field does not get another kind of workspace. */
    private static WorkspaceMode mode(Fields fields) {
        return switch (fields.text("workspace_mode", "folder")) {
            case "folder" -> WorkspaceMode.FOLDER;
            case "worktree" -> WorkspaceMode.WORKTREE;
            case "snapshot" -> WorkspaceMode.SNAPSHOT;
            case "copy" -> WorkspaceMode.COPY;
            default -> throw Fields.invalid("workspace_mode", "must be folder, worktree, snapshot or copy");
        };
    }

    private static void checkPlaces(WorkspaceMode mode, @Nullable String workspace, @Nullable String repository) {
        if (mode.isWorktree() != (repository != null)) {
            throw Fields.invalid("repository", "goes with workspace_mode worktree or snapshot, which need it");
        }
        if (repository != null && (!repository.startsWith("/") || repository.indexOf('\0') >= 0)) {
            throw Fields.invalid("repository", "must be an absolute path");
        }
        if (mode.isWorktree() && workspace != null) {
            throw Fields.invalid("workspace", "is chosen by Brig where a repository is named");
        }
        if (mode == WorkspaceMode.COPY && workspace == null) {
            throw Fields.invalid("workspace", "is the folder to copy in workspace_mode copy, which needs it");
        }
    }

    /** What may become an argument of the agent's command line cannot hold a NUL. */
    private static void checkArgument(String name, @Nullable String value) {
        if (value != null && value.indexOf('\0') >= 0) {
            throw Fields.invalid(name, "must not contain a NUL");
        }
    }

    /** The request as {@link #read} takes it. */
    public Map<String, @Nullable Object> toMap() {
        Map<String, @Nullable Object> agentConfig = new LinkedHashMap<>();
        agentConfig.put("name", agent);
        agentConfig.put("model", model);
        agentConfig.put("tools", tools);
        agentConfig.put("systemPrompt", systemPrompt);
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("task_id", taskId);
        map.put("workspace", workspace);
        map.put("agent_config", agentConfig);
        map.put("prompt", prompt);
        map.put("once", once);
        map.put("policy", policy);
        map.put(
                "workspace_mode",
                workspaceMode == WorkspaceMode.FOLDER
                        ? null
                        : workspaceMode.name().toLowerCase(Locale.ROOT));
        map.put("repository", repository);
        map.put("share_workspace", shareWorkspace ? true : null);
        map.put("request_id", claim.requestId());
        map.put("provider", claim.provider().equals(Claim.LOCAL) ? null : claim.provider());
        map.put("project", claim.project().isEmpty() ? null : claim.project());
        map.put("env_allowlist", bounds.envAllowlist());
        map.put("timeout_seconds", bounds.timeoutSeconds() == 0 ? null : bounds.timeoutSeconds());
        map.put("lease_seconds", bounds.leaseSeconds() == 0 ? null : bounds.leaseSeconds());
        map.put("resume", talk.resume());
        map.put("record", talk.record() ? true : null);
        return map;
    }
}
