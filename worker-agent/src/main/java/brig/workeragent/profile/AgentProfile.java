package brig.workeragent.profile;

import brig.egress.policy.EgressPolicy;
import brig.formats.Adapters;
import brig.formats.Transcripts;
import brig.formats.adapter.Adapter;
import brig.formats.adapter.TranscriptReader;
import brig.formats.permission.Permissions;
import brig.formats.permission.Rule;
import brig.protocol.BrigException;
import brig.protocol.record.Default;
import brig.protocol.record.OrTrue;
import brig.protocol.record.Range;
import brig.protocol.record.Settings;
import brig.protocol.spawn.Budget;
import brig.protocol.spawn.PermissionMode;
import brig.protocol.spawn.RootOverlay;
import brig.protocol.spawn.SpawnRequest;
import brig.workeragent.wall.EgressVariables;
import brig.workeragent.wall.Wall;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The content of a file in {@code config/agents}; its components are the keys of the file.
 *
 * <p>Decisions 0062, 0122, 0150, 0211.
 *
 * @param description for people, one line
 * @param command the program and its arguments. Whole arguments {@code {message}}, {@code {model}}, {@code
 *     {systemPrompt}}, {@code {tools}} and {@code {program}}, the program of {@code install}, are replaced. Inside an
 *     argument only names of model routes and {@code {messageFile}} are: a file with the message, as everybody on the
 *     host can read arguments
 * @param tunnelCommand in place of {@code command} where the shell is another host's, without a message file; empty for the same
 * @param adapter its native format; {@code cassette}: that of the recording that the request names as its model
 * @param process {@code message}: one process per message; {@code spawn}: one for the whole spawn
 * @param stdin {@code null}: {@code /dev/null}; {@code lines}: each message is written to it
 * @param env the agent's environment in addition to the wall's own, as far as its policy permits
 * @param policy its default policy
 * @param raw whether each output line also becomes a {@code raw} frame; not with {@code text}
 * @param permissions the answer to its requests to use tools: {@code allow}, {@code deny}, or {@code ask} a person
 * @param rules decide before {@code permissions} does; the first that matches counts
 * @param asks how long its requests wait for a person
 * @param home {@code private}: empty at each start of a process; {@code project}: kept, one for each project
 * @param models names of the policy's model routes that it needs. In the environment and in arguments
 *     {@code {models.NAME}} stands for the base URL of one
 * @param install the source of its program, if that is an npm package
 * @param resume arguments after the command that continue an earlier session, with {@code {session}} as its id; for
 *     agents whose adapter cannot do that
 * @param fork how it goes on with a copy of an earlier session; {@link Forking#NONE} if it cannot
 * @param arguments arguments after the command for the settings of a request, by the field of its
 *     {@code agent_config}; {@code permissions.ask} and the like for what happens to requests to use tools. {@code {tools.NAME}} in one is {@code true} or {@code false}
 * @param defaultModel if neither the request nor {@code worker.agentModels} names one; empty leaves it to the agent
 * @param asModel see {@link #isModel}; null for the default
 * @param tty how it is started on a terminal; null if it is not
 * @param login what differs if one of its model routes has a person's login in place of a key
 * @param apis what differs if a model route leads to a cloud, by its API; {@code {region}} and {@code {project}} are the route's
 * @param budget what each session may use up at most
 * @param wall the kind of wall that it wants, as in a policy; empty for any
 * @param root the root of its wall if the request names none, as in {@link brig.protocol.spawn.RootName}; empty for the host's
 * @param rootOverlay what becomes of what a session writes into its root if the request does not say; null leaves it to the project's file
 * @param services servers that each session has beside its agent, by name
 */
@Settings
public record AgentProfile(
        String description,
        List<String> command,
        @Default List<String> tunnelCommand,
        @Default("text") String adapter,
        @Default("message") String process,
        @Default("null") String stdin,
        @Default Map<String, String> env,
        @Default("build") String policy,
        @Default boolean raw,
        @Default("allow") PermissionMode permissions,
        @Default List<Rule> rules,
        @Default Asks asks,
        @Default("private") String home,
        @Default List<String> models,
        @Default Install install,
        @Default List<String> resume,
        @Default Forking fork,
        @Default Map<String, List<String>> arguments,
        @Default String defaultModel,
        @Nullable Boolean asModel,
        @OrTrue @Nullable TerminalStart tty,
        @Default SignedIn login,
        @Default Map<String, SignedIn> apis,
        @Default Budget budget,
        @Default String wall,
        @Default String root,
        @Nullable RootOverlay rootOverlay,
        @Default Map<String, ServiceProfile> services) {

    /**
     * The requests that wait for a person.
     *
     * @param waitMs how long one waits before it is denied, in milliseconds
     */
    public record Asks(
            @Default("600000") @Range(min = 100, max = WAIT_MS_MAX)
            long waitMs) {
        /** A day. */
        public static final long WAIT_MS_MAX = 24L * 3600 * 1000;
    }

    /**
     * How an agent goes on with a copy of an earlier session.
     *
     * @param arguments after the command, with {@code {session}} as its id; for agents whose adapter cannot do that
     * @param state the file in its home that has the session, with {@code {session}} in its name. Each folder, and the
     *     name, may be a glob. Empty if it cannot copy sessions
     */
    public record Forking(
            @Default List<String> arguments, @Default("") String state) {
        public static final Forking NONE = new Forking(List.of(), "");
    }

    /** Variables of an agent on a terminal. */
    public static final Map<String, String> TERMINAL = Map.of("TERM", "xterm-256color", "COLORTERM", "truecolor");

    private static final String MESSAGE = "{message}";
    private static final String MESSAGE_FILE = "{messageFile}";
    private static final String EVENTS = "{events}";
    private static final String CASSETTE = "cassette";
    private static final String PROGRAM = "{program}";
    private static final String MODEL = "model";
    private static final String SYSTEM_PROMPT = "systemPrompt";
    private static final String TOOLS = "tools";
    /** It may become an argument, and a text in JSON. */
    private static final Pattern MODEL_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/@+\\[\\]-]{0,255}");

    private static final Pattern TOOL_IS_ASKED = Pattern.compile("\\{tools\\.([A-Za-z]+)\\}");
    private static final int RULES_MAX = 64;

    /** The longest argument that Linux accepts. */
    private static final int ARGUMENT_BYTES_MAX = 128 * 1024 - 1;

    public AgentProfile {
        if (command.isEmpty() || command.get(0).isEmpty()) {
            throw new IllegalArgumentException("command: must name a program");
        }
        ProfileValues.requireOneOf("process", process, List.of("message", "spawn"));
        ProfileValues.requireOneOf("stdin", stdin, List.of("null", "lines"));
        ProfileValues.requireOneOf("home", home, List.of("private", "project"));
        boolean turns = adapter.equals(CASSETTE)
                || Adapters.named(adapter)
                        .orElseThrow(() ->
                                new IllegalArgumentException("adapter: there is none of the name '" + adapter + "'"))
                        .hasTurns();
        if (turns && !(process.equals("spawn") && stdin.equals("lines"))) {
            throw new IllegalArgumentException(
                    "process, stdin: must be 'spawn' and 'lines' with the adapter '" + adapter + "'");
        }
        if (!rules.isEmpty()
                && (adapter.equals(CASSETTE) || !newAdapter(adapter).asks())) {
            throw new IllegalArgumentException(
                    "rules: the agents of the adapter '" + adapter + "' do not ask before they use a tool");
        }
        if (rules.size() > RULES_MAX) {
            throw new IllegalArgumentException("rules: must be at most " + RULES_MAX);
        }
        if (command.contains(PROGRAM) == install.programs().isEmpty()) {
            throw new IllegalArgumentException("command: '" + PROGRAM + "' goes with install");
        }
        for (String argument :
                Stream.concat(command.stream(), tunnelCommand.stream()).toList()) {
            ProfileValues.requireNoNul("command", argument);
        }
        ProfileValues.requireVariables("env", env);
        Policy.requireRoot(root);
        ServiceProfile.require(services, EgressVariables.PORTS);
        env = Map.copyOf(env);
        ProfileValues.requireArguments("arguments", arguments);
        if (!defaultModel.isEmpty() && !MODEL_NAME.matcher(defaultModel).matches()) {
            throw new IllegalArgumentException("defaultModel: must match " + MODEL_NAME);
        }
        if (tty != null
                && !tty.argv().isEmpty()
                && tty.argv().contains(PROGRAM) == install.programs().isEmpty()) {
            throw new IllegalArgumentException("tty.argv: '" + PROGRAM + "' goes with install");
        }
    }

    /**
     * The profile of this agent on a terminal.
     *
     * @param name of the agent, for the text of a refusal
     * @throws BrigException {@code INVALID_FIELD} if it has none
     */
    AgentProfile onTerminal(String name) {
        if (tty == null) {
            throw BrigException.invalid("tty", "the agent '" + name + "' has no terminal: its profile has no tty");
        }
        Map<String, String> all = new LinkedHashMap<>(TERMINAL);
        all.putAll(env);
        all.putAll(tty.env());
        return new AgentProfile(
                description,
                tty.argv().isEmpty() ? command : tty.argv(),
                List.of(),
                "text",
                "spawn",
                "lines",
                all,
                policy,
                false,
                permissions,
                List.of(),
                asks,
                home,
                models,
                install,
                resume,
                fork,
                tty.arguments(),
                defaultModel,
                false,
                tty,
                login,
                apis,
                budget,
                wall,
                root,
                rootOverlay,
                services);
    }

    /** What differs with that route; null for nothing. */
    private @Nullable SignedIn differs(EgressPolicy egress, EgressPolicy.ModelRoute route) {
        EgressPolicy.Secret secret = egress.secrets().get(route.secret());
        SignedIn there = apis.get(route.api());
        return there != null
                ? there.at(route)
                : route.api().isEmpty() && secret != null && !secret.login().isEmpty() ? login : null;
    }

    /** The profile of this agent for these model routes: with a login or a cloud, if one of them has one. */
    public AgentProfile signedIn(EgressPolicy egress) {
        SignedIn differs = models.stream()
                .map(model -> egress.modelRoutes().get(model))
                .filter(Objects::nonNull)
                .map(route -> differs(egress, route))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        if (differs == null) {
            return this;
        }
        Map<String, String> all = new LinkedHashMap<>(env);
        differs.without().forEach(all::remove);
        all.putAll(differs.env());
        return new AgentProfile(
                description,
                with(command, differs.arguments()),
                tunnelCommand.isEmpty() ? tunnelCommand : with(tunnelCommand, differs.arguments()),
                adapter,
                process,
                stdin,
                all,
                policy,
                raw,
                permissions,
                rules,
                asks,
                home,
                models,
                install,
                resume,
                fork,
                arguments,
                defaultModel,
                asModel,
                tty == null || tty.argv().isEmpty()
                        ? tty
                        : new TerminalStart(
                                with(tty.argv(), differs.arguments()),
                                tty.arguments(),
                                tty.env(),
                                tty.size(),
                                tty.transcript()),
                login,
                apis,
                budget,
                wall,
                root,
                rootOverlay,
                services);
    }

    private static List<String> with(List<String> arguments, List<String> more) {
        return Stream.concat(arguments.stream(), more.stream()).toList();
    }

    /** What reads what it writes about itself on a terminal; null if that is not known. */
    public TranscriptReader.@Nullable Factory transcripts() {
        return tty == null ? null : Transcripts.named(tty.transcript()).orElse(null);
    }

    /** Whether it is offered as a model to clients of OpenAI's API; by default if it has turns. */
    public boolean isModel() {
        return asModel != null ? asModel : !Set.of("text", CASSETTE).contains(adapter);
    }

    public Adapter newAdapter() {
        return newAdapter(adapter);
    }

    private static Adapter newAdapter(String adapter) {
        return Adapters.named(adapter).orElseThrow();
    }

    /** An agent with turns only answers messages, so it needs one. */
    public boolean needsMessage() {
        return !playsCassettes() && newAdapter().hasTurns();
    }

    public boolean playsCassettes() {
        return adapter.equals(CASSETTE);
    }

    public boolean keepsHome() {
        return home.equals("project");
    }

    public boolean oneProcess() {
        return process.equals("spawn");
    }

    public boolean stdinLines() {
        return stdin.equals("lines");
    }

    /** The message is in the command, so it is not written to standard input. */
    public boolean messageComesWithCommand() {
        return command.contains(MESSAGE) || messageIsFile();
    }

    /** The command reads the message from {@link Wall#MESSAGE_FILE}. */
    public boolean messageIsFile() {
        return command.stream().anyMatch(argument -> argument.contains(MESSAGE_FILE));
    }

    /**
     * Adapts the request to this agent: with a model if it needs one, and tools by its own names.
     *
     * @param name of the agent, for the text of a refusal
     * @param usualModel the operator's default model; empty for none
     * @throws BrigException {@code INVALID_FIELD} naming a setting that the agent does not support
     */
    SpawnRequest told(String name, SpawnRequest request, String usualModel) {
        String usual = usualModel.isEmpty() ? defaultModel : usualModel;
        String model = request.model() != null || usual.isEmpty() ? request.model() : usual;
        if (model != null) {
            requirePlace(name, MODEL);
            if (!MODEL_NAME.matcher(model).matches()) {
                throw BrigException.invalid(MODEL, "must match " + MODEL_NAME);
            }
        } else if (envHas(MODEL)) {
            throw BrigException.invalid(
                    MODEL,
                    "is missing, and the agent '" + name + "' has none of its own: name one"
                            + " (brig run --model NAME), or set worker.agentModels {\"" + name
                            + "\": NAME} in brig.json");
        }
        String system = request.systemPrompt();
        if (system != null) {
            requirePlace(name, SYSTEM_PROMPT);
            boolean argument = !tells(SYSTEM_PROMPT);
            if (argument && system.getBytes(StandardCharsets.UTF_8).length > ARGUMENT_BYTES_MAX) {
                throw BrigException.invalid(
                        fieldOf(SYSTEM_PROMPT),
                        "has more than " + ARGUMENT_BYTES_MAX + " bytes, and the agent '" + name
                                + "' takes it as an argument");
            }
        }
        if (!request.tools().isEmpty()) {
            requirePlace(name, TOOLS);
        }
        requireNarrower(name, request.agentConfig().permissions());
        return request.told(model, ToolName.of(adapter, name, request.tools()));
    }

    private void requireNarrower(String name, @Nullable PermissionMode wanted) {
        if (wanted == null || wanted == permissions) {
            return;
        }
        if (!newAdapter().asks()) {
            throw BrigException.invalid(
                    "permissions", "cannot be told to the agent '" + name + "': it asks for no permission");
        }
        if (wanted.isWiderThan(permissions)) {
            throw BrigException.invalid(
                    "permissions",
                    "cannot be '" + wanted.wireName() + "': the profile of the agent '" + name + "' has '"
                            + permissions.wireName() + "'");
        }
    }

    /** What happens to the agent's requests to use tools. What the captain wants narrows the rules too. */
    public Permissions permissionsFor(SpawnRequest request) {
        PermissionMode wanted = request.agentConfig().permissions();
        return wanted == null
                ? new Permissions(permissions, rules)
                : new Permissions(
                        wanted,
                        rules.stream().map(rule -> rule.narrowedTo(wanted)).toList());
    }

    /** The request's field for a place in a profile. */
    private static String fieldOf(String place) {
        return place.equals(SYSTEM_PROMPT) ? "system_prompt" : place;
    }

    /** A request adapted by {@link #told}, with further instructions if this agent can be told any and there are some. */
    public SpawnRequest toldOf(String instructions, SpawnRequest request) {
        return instructions.isEmpty() || !hasPlace(SYSTEM_PROMPT) ? request : request.instructed(instructions);
    }

    private boolean hasPlace(String field) {
        return tells(field) || arguments.containsKey(field) || command.contains("{" + field + "}") || envHas(field);
    }

    private void requirePlace(String name, String field) {
        if (!hasPlace(field)) {
            throw BrigException.invalid(
                    fieldOf(field), "cannot be told to the agent '" + name + "': its profile has no place for it");
        }
    }

    /** Whether its adapter passes it on, or the wall is built with it. */
    private boolean tells(String field) {
        return playsCassettes() ? field.equals(MODEL) : newAdapter().tells().contains(field);
    }

    private boolean envHas(String field) {
        return env.values().stream().anyMatch(value -> value.contains("{" + field + "}"));
    }

    /**
     * The command for a message of a request adapted by {@link #told}; absent settings are empty arguments.
     *
     * @param program of {@code install}, behind the wall; null for none
     * @param copied the agent's own id of a session that it goes on with a copy of; null for none
     */
    public List<String> commandFor(
            SpawnRequest request, String message, @Nullable String program, @Nullable String copied) {
        String session = copied == null ? request.talk().resume() : copied;
        Stream<String> further = Stream.concat(
                session == null ? Stream.of() : copied == null ? resume.stream() : fork.arguments().stream(),
                Stream.concat(
                                ProfileValues.ASKED.stream().filter(field -> asks(request, field)),
                                Stream.of(ProfileValues.PERMISSIONS
                                        + permissionsFor(request).toldMode().wireName()))
                        .flatMap(field -> arguments.getOrDefault(field, List.of()).stream()));
        boolean isFar = request.place().tunnel() != null && !tunnelCommand.isEmpty();
        return Stream.concat((isFar ? tunnelCommand : command).stream(), further)
                .map(argument -> switch (argument) {
                    case MESSAGE -> message;
                    case "{session}" -> orEmpty(session);
                    case PROGRAM -> orEmpty(program);
                    case "{model}" -> orEmpty(request.model());
                    case "{systemPrompt}" -> orEmpty(request.systemPrompt());
                    case "{tools}" -> String.join(",", request.tools());
                    default ->
                        TOOL_IS_ASKED
                                .matcher(withRoutes(argument))
                                .replaceAll(
                                        tool -> String.valueOf(request.tools().contains(tool.group(1))));
                })
                .toList();
    }

    private static boolean asks(SpawnRequest request, String field) {
        return switch (field) {
            case MODEL -> request.model() != null;
            case SYSTEM_PROMPT -> request.systemPrompt() != null;
            default -> !request.tools().isEmpty();
        };
    }

    /** The environment for a request adapted by {@link #told}, with the base URLs of its model routes. */
    public Map<String, String> environment(SpawnRequest request) {
        PermissionMode told = permissionsFor(request).toldMode();
        Map<String, String> whole = new LinkedHashMap<>(env);
        whole.replaceAll((name, value) -> withRoutes(value)
                .replace("{model}", orEmpty(request.model()))
                .replace("{tools}", String.join(",", request.tools()))
                .replace("{permissions}", told.wireName())
                .replace("{permissions.ask}", String.valueOf(told == PermissionMode.ASK)));
        return whole;
    }

    private String withRoutes(String text) {
        String whole = text.replace(MESSAGE_FILE, Wall.MESSAGE_FILE).replace(EVENTS, TranscriptReader.EVENTS);
        for (String model : models) {
            whole = whole.replace("{models." + model + "}", EgressVariables.modelUrl(model));
        }
        return whole;
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }
}
