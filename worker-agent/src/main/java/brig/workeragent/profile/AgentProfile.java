package brig.workeragent.profile;

import brig.protocol.Settings;
import brig.protocol.SpawnRequest;
import brig.workeragent.adapter.Adapter;
import brig.workeragent.wall.EgressVariables;
import brig.workeragent.wall.Wall;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What one file of {@code config/agents} says; its components are the keys of the file.
 *
 * @param description for people, one line
 * @param command the program and its arguments. An argument that is {@code {message}}, {@code {model}},
 *     {@code {systemPrompt}} or {@code {tools}} as a whole is replaced, and {@code {program}} by the program of
 *     {@code install}; inside an argument only the names of model routes and {@code {messageFile}} are, which
 *     stands for a file with the message: everybody on the host can read arguments
 * @param adapter its native format; {@code cassette}: that of the recording which the request names as its model
 * @param process {@code message}: one process per message; {@code spawn}: one for the whole spawn
 * @param stdin {@code null}: {@code /dev/null}; {@code lines}: each message is written to it
 * @param env the environment of the agent beside what the wall itself sets, as far as its policy lets it
 * @param policy what its wall lets in, where the request does not choose
 * @param raw whether each line that it writes becomes a frame {@code raw} too; not with {@code text}
 * @param permissions {@code allow} or {@code deny}: the answer where it asks whether it may do something
 * @param home {@code private}: empty at each start of a process; {@code project}: kept, one for each project
 * @param models names of the policy's model routes that it needs. In the environment and in arguments
 *     {@code {models.NAME}} stands for the base URL of one
 * @param install where its program comes from, where that is a package of npm
 * @param resume arguments behind the command that go on with an earlier session, {@code {session}} being its id; for
 *     agents whose adapter cannot say so
 */
public record AgentProfile(
        String description,
        List<String> command,
        String adapter,
        String process,
        String stdin,
        Map<String, String> env,
        String policy,
        boolean raw,
        String permissions,
        String home,
        List<String> models,
        Install install,
        List<String> resume) {

    /**
     * A package of npm, or a program that comes with Brig.
     *
     * @param npm its name and the version that was tried, such as {@code @openai/codex@0.169.0}; empty: Brig's own
     * @param programs where the program may lie below a folder {@code node_modules}, or that of Brig; the first that is
     *     there is taken
     */
    public record Install(String npm, List<String> programs) {
        public Install {
            if (programs.isEmpty() && !npm.isEmpty()) {
                throw new IllegalArgumentException("install: needs programs");
            }
            for (String program : programs) {
                Path path = Path.of(program);
                if (path.isAbsolute() || path.getNameCount() < 2 || !path.normalize().equals(path)) {
                    throw new IllegalArgumentException(
                            "install.programs: '" + program + "' must be a path below a folder node_modules");
                }
            }
        }
    }

    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final String MESSAGE = "{message}";
    private static final String MESSAGE_FILE = "{messageFile}";
    private static final String CASSETTE = "cassette";
    private static final String PROGRAM = "{program}";

    public AgentProfile {
        if (command.isEmpty() || command.get(0).isEmpty()) {
            throw new IllegalArgumentException("command: must name a program");
        }
        requireOneOf("process", process, List.of("message", "spawn"));
        requireOneOf("stdin", stdin, List.of("null", "lines"));
        requireOneOf("permissions", permissions, List.of("allow", "deny"));
        requireOneOf("home", home, List.of("private", "project"));
        boolean turns = adapter.equals(CASSETTE) || Adapter.named(adapter).orElseThrow(
                () -> new IllegalArgumentException("adapter: there is none of the name '" + adapter + "'")).hasTurns();
        if (turns && !(process.equals("spawn") && stdin.equals("lines"))) {
            throw new IllegalArgumentException(
                    "process, stdin: must be 'spawn' and 'lines' with the adapter '" + adapter + "'");
        }
        if (command.contains(PROGRAM) == install.programs().isEmpty()) {
            throw new IllegalArgumentException("command: '" + PROGRAM + "' goes with install");
        }
        for (String argument : command) {
            requireNoNul("command", argument);
        }
        env.forEach((name, value) -> {
            if (!VARIABLE.matcher(name).matches()) {
                throw new IllegalArgumentException("env: '" + name + "' is no name of a variable");
            }
            requireNoNul("env", name + value);
        });
        env = Map.copyOf(env);
    }

    /** Binds a file's values; only {@code description} and {@code command} must be there. */
    static AgentProfile read(Map<String, @Nullable Object> values) {
        Map<String, @Nullable Object> whole = new LinkedHashMap<>();
        whole.put("adapter", "text");
        whole.put("process", "message");
        whole.put("stdin", "null");
        whole.put("env", Map.of());
        whole.put("policy", "build");
        whole.put("raw", false);
        whole.put("permissions", "allow");
        whole.put("home", "private");
        whole.put("models", List.of());
        whole.put("install", Map.of("npm", "", "programs", List.of()));
        whole.put("resume", List.of());
        return Settings.bind(Settings.overlay(whole, values), AgentProfile.class);
    }

    private static void requireOneOf(String key, String value, List<String> known) {
        if (!known.contains(value)) {
            throw new IllegalArgumentException(key + ": must be one of " + known + ", not '" + value + "'");
        }
    }

    private static void requireNoNul(String key, String value) {
        if (value.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(key + ": has a NUL character");
        }
    }

    public Adapter newAdapter() {
        return Adapter.named(adapter).orElseThrow();
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

    /** The message comes with the command, so it need not be written to standard input. */
    public boolean messageComesWithCommand() {
        return command.contains(MESSAGE) || messageIsFile();
    }

    /** The command reads the message from {@link Wall#MESSAGE_FILE}. */
    public boolean messageIsFile() {
        return command.stream().anyMatch(argument -> argument.contains(MESSAGE_FILE));
    }

    /**
     * The command for a message of a request; what the request does not say is an empty argument.
     *
     * @param program of {@code install}, behind the wall; null where there is none
     */
    public List<String> commandFor(SpawnRequest request, String message, @Nullable String program) {
        String session = request.talk().resume();
        Stream<String> arguments = session == null ? command.stream() : Stream.concat(command.stream(), resume.stream());
        return arguments.map(argument -> switch (argument) {
            case MESSAGE -> message;
            case "{session}" -> orEmpty(session);
            case PROGRAM -> orEmpty(program);
            case "{model}" -> orEmpty(request.model());
            case "{systemPrompt}" -> orEmpty(request.systemPrompt());
            case "{tools}" -> String.join(",", request.tools());
            default -> withRoutes(argument);
        }).toList();
    }

    /** The environment, with the base URLs of the model routes that it names. */
    public Map<String, String> environment() {
        Map<String, String> whole = new LinkedHashMap<>(env);
        whole.replaceAll((name, value) -> withRoutes(value));
        return whole;
    }

    private String withRoutes(String text) {
        String whole = text.replace(MESSAGE_FILE, Wall.MESSAGE_FILE);
        for (String model : models) {
            whole = whole.replace("{models." + model + "}", EgressVariables.modelUrl(model));
        }
        return whole;
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }
}
