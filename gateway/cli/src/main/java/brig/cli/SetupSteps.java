package brig.cli;

import brig.cli.SetupReport.AgentState;
import brig.cli.setup.AgentFolder;
import brig.cli.setup.HostTools;
import brig.cli.setup.Npm;
import brig.cli.setup.PinnedAgent;
import brig.cli.setup.Questions;
import brig.cli.terminal.Spinner;
import brig.gateway.config.Paths;
import brig.protocol.BrigException;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.AgentOffer;
import brig.protocol.control.DoctorAnswer;
import brig.protocol.control.Finding;
import brig.protocol.control.FindingStatus;
import brig.protocol.control.HelloAnswer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The steps of {@code brig setup} that concern agents: what is here, installing, access to models, a trial. */
final class SetupSteps {
    /** Where an API key and the address of another server come from. */
    private record Variables(String key, String address) {}

    private static final Variables OPENAI = new Variables("OPENAI_API_KEY", "OPENAI_BASE_URL");
    private static final Map<String, Variables> VARIABLES = Map.of(
            "claude", new Variables("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"), "codex", OPENAI, "opencode", OPENAI);
    private static final int MEGABYTE = 1_000_000;
    /** What the doctor calls its findings about agents. */
    static final String FINDING = "agent ";

    private final Main main;
    private final CommandContext context;
    private final CommandContext.Connection gateway;
    private final Questions questions;
    private final HostTools tools = new HostTools(System.getenv());
    private final AgentFolder folder = new AgentFolder();
    private final RouteFiles routes;
    private final List<PinnedAgent> agents;
    private final List<String> failures = new ArrayList<>();

    SetupSteps(Main main, CommandContext context, CommandContext.Connection gateway, Questions questions)
            throws IOException {
        this.main = main;
        this.context = context;
        this.gateway = gateway;
        this.questions = questions;
        this.routes = RouteFiles.ofSetup(context);
        this.agents = PinnedAgent.of(context.home());
    }

    private <T> T request(SpawnerRequest request, Class<T> answer) {
        // A connection of a command that waits for a person might be given up.
        try (GatewayClient client = context.connectAgain(gateway)) {
            return client.request(request, answer);
        }
    }

    List<HostTools.Tool> tools() {
        return tools.tools();
    }

    List<String> keys() {
        return tools.keys();
    }

    /** What failed so far, in words. */
    List<String> failures() {
        return List.copyOf(failures);
    }

    /** Says a failure, after which other steps go on. */
    void fail(String why) {
        main.terminal().note(why);
        failures.add(why);
    }

    /**
     * What is on this host.
     *
     * @param missing what the doctor finds
     */
    record Seen(List<AgentState> agents, List<Finding> missing) {
        /** Names of those that can run. */
        List<String> ready() {
            return agents.stream()
                    .filter(state -> state.state() == AgentOffer.State.READY)
                    .map(AgentState::name)
                    .toList();
        }
    }

    Seen look() throws IOException {
        List<Finding> findings =
                request(new SpawnerRequest.Doctor(), DoctorAnswer.class).findings();
        Map<String, String> details = new TreeMap<>();
        for (Finding finding : findings) {
            for (AgentOffer.State state : AgentOffer.State.values()) {
                details.put(finding.name().replace(FINDING, "") + state, finding.detail());
            }
        }
        return new Seen(
                states(details),
                findings.stream()
                        .filter(finding -> finding.status() != FindingStatus.OK)
                        .toList());
    }

    /** The same after agents and routes changed, and nothing of the host did. */
    Seen lookAgain(Seen before) throws IOException {
        Map<String, String> details = new TreeMap<>();
        before.agents().forEach(agent -> details.put(agent.name() + agent.state(), agent.detail()));
        List<AgentState> states = states(details);
        List<String> well = new Seen(states, List.of())
                .ready().stream().map(name -> FINDING + name).toList();
        return new Seen(
                states,
                before.missing().stream()
                        .filter(finding -> !well.contains(finding.name()))
                        .toList());
    }

    /** @param details of agents by name and state, where they are known */
    private List<AgentState> states(Map<String, String> details) throws IOException {
        Map<String, AgentOffer> offers = new TreeMap<>();
        request(new SpawnerRequest.Agents(), HelloAnswer.class)
                .agents()
                .forEach(offer -> offers.put(offer.name(), offer));
        Map<String, String> set = new TreeMap<>();
        routes.list().forEach(route -> set.put(route.name(), route.baseUrl()));
        List<AgentState> states = new ArrayList<>();
        for (PinnedAgent agent : agents) {
            AgentOffer offer = offers.get(agent.name());
            if (offer != null) {
                states.add(new AgentState(
                        agent.name(),
                        agent.version(),
                        offer.state(),
                        details.getOrDefault(agent.name() + offer.state(), ""),
                        set.get(agent.name()),
                        LoginCommand.found(agent.name()),
                        key(agent.name())));
            }
        }
        return states;
    }

    private @Nullable String key(String agent) {
        String variable = Objects.requireNonNull(VARIABLES.get(agent)).key();
        return tools.has(variable) ? variable : null;
    }

    /** Why agents and routes are not for this user to set; null if they are. */
    @Nullable
    String notHere() {
        return context.remote() != null
                ? "the gateway is on another host (BRIG_HOST), and so are its agents and routes"
                : !Paths.isRoot() && context.spawnerSocket().equals(Paths.HOST_SPAWNER)
                        ? "the gateway here is the host's: root installs agents for all (npm install -g), and sets routes"
                        : null;
    }

    /**
     * Installs agents.
     *
     * @param wanted names that were given; null to ask
     * @return names of those that are installed now, and were not
     */
    List<String> install(List<AgentState> states, @Nullable List<String> wanted) throws IOException {
        List<String> absent = states.stream()
                .filter(state -> state.state() == AgentOffer.State.NOT_INSTALLED)
                .map(AgentState::name)
                .toList();
        List<String> chosen = wanted;
        if (chosen == null) {
            String why = Paths.isRoot()
                    ? "root installs agents for all: npm install -g"
                    : tools.find("npm") == null ? "npm is not in the PATH: install Node.js" : null;
            if (absent.isEmpty() || why != null) {
                if (!absent.isEmpty()) {
                    main.terminal().note("no agents are installed here, as " + why);
                }
                return List.of();
            }
            chosen = questions.some(
                    "install which agents? npm gets up to 400 MB each, into "
                            + SetupReport.shortened(folder.path() + ":"),
                    absent,
                    states.stream()
                            .filter(state -> absent.contains(state.name()) && state.hasAccess())
                            .map(AgentState::name)
                            .toList());
        }
        List<String> installed = new ArrayList<>();
        for (PinnedAgent agent : agents) {
            if (chosen.contains(agent.name()) && folder.program(agent) == null) {
                try {
                    install(agent);
                    installed.add(agent.name());
                } catch (BrigException failure) {
                    fail(String.valueOf(failure.getMessage()));
                }
            }
        }
        return installed;
    }

    private void install(PinnedAgent agent) throws IOException {
        Path npm = tools.find("npm");
        if (npm == null) {
            throw BrigException.invalid(
                    "--install", "needs npm, which is not in the PATH: install Node.js, such as with apt-get or nvm");
        }
        main.terminal().note("installing " + agent.title());
        long began = System.nanoTime();
        try (Spinner _ = main.terminal()
                .spinner(() -> "installing " + agent.title() + ": " + folder.progress() / MEGABYTE + " MB")) {
            folder.install(agent, new Npm(npm));
            // Sessions of a gateway that runs may need the former version.
            if (gateway.embedded() != null) {
                folder.removeOthers(agent);
            }
        }
        main.terminal()
                .note(agent.title() + " is installed, after " + Math.round((System.nanoTime() - began) / 1e9) + " s");
    }

    /** Gives agents that have no route to their model a login or a key. @return the names of those that have one now */
    List<String> giveAccess(List<AgentState> states) throws IOException, InterruptedException {
        List<String> given = new ArrayList<>();
        for (AgentState state : states) {
            try {
                if (state.state() == AgentOffer.State.NO_ROUTE && giveAccess(state)) {
                    given.add(state.name());
                }
            } catch (BrigException failure) {
                fail(state.name() + ": " + failure.getMessage());
            }
        }
        return given;
    }

    /** A way to a model. */
    private record Way(String title, Step step) {}

    /** What it takes. */
    @FunctionalInterface
    private interface Step {
        /** @return whether a route is set */
        boolean take() throws IOException, InterruptedException;
    }

    private boolean giveAccess(AgentState state) throws IOException, InterruptedException {
        List<Way> ways = new ArrayList<>();
        String name = state.name();
        Variables variables = Objects.requireNonNull(VARIABLES.get(name));
        String address = tools.value(variables.address());
        String at = address == null ? "" : ", at the server of " + variables.address();
        Way login = new Way("your login in " + state.login(), () -> signIn(name));
        if (state.login() != null && address == null) {
            ways.add(login);
        }
        String key = state.key();
        if (key != null) {
            ways.add(new Way("the key in " + key + at, () -> set(name, RouteCommand.Key.inVariable(key), address)));
        } else if (address != null) {
            ways.add(new Way(
                    "the server of " + variables.address() + ", without a key", () -> set(name, null, address)));
        }
        if (state.login() != null && address != null) {
            ways.add(login);
        }
        boolean isFound = !ways.isEmpty();
        if (questions.reachPerson()) {
            ways.add(new Way("an API key in a file", () -> {
                String file = questions.text("the file, whose first line is the key:");
                return file != null && set(name, RouteCommand.Key.inFile(expanded(file)), address);
            }));
            if (state.login() == null && !name.equals("opencode")) {
                ways.add(new Way("a new login: " + name + " asks you to sign in", () -> signIn(name)));
            }
        }
        ways.add(new Way("none for now", () -> false));
        int chosen = questions.one(
                "what may " + name + " use for its model?",
                ways.stream().map(Way::title).toList(),
                isFound ? 0 : ways.size() - 1);
        return ways.get(chosen).step().take();
    }

    private static String expanded(String file) {
        return file.startsWith("~/") ? Paths.userHome() + file.substring(1) : file;
    }

    private boolean signIn(String agent) throws IOException, InterruptedException {
        Path program = agents.stream()
                .filter(one -> one.name().equals(agent))
                .findFirst()
                .map(folder::program)
                .orElse(null);
        LoginCommand.signIn(main, agent, routes, program);
        main.terminal().note(agent + " uses your login, which is in " + routes.loginFile(agent));
        return true;
    }

    private boolean set(String agent, RouteCommand.@Nullable Key key, @Nullable String url) throws IOException {
        String leads = RouteCommand.set(routes, agent, key, url).toString();
        main.terminal()
                .note("the route " + agent + " leads to " + leads
                        + (key == null ? ", without a key" : "; its key is in " + routes.keyFile(agent)));
        return true;
    }

    /** One message to each. */
    List<AgentTrial.Result> tryAll(List<String> names, int secondsMax) {
        List<AgentTrial.Result> results = new ArrayList<>();
        for (String name : names) {
            try (Spinner _ = main.terminal().spinner("trying " + name)) {
                results.add(new AgentTrial(context, gateway, secondsMax).run(name));
            }
        }
        return results;
    }

    /** @throws BrigException for a name that no agent of npm has */
    void requireNames(List<String> names) {
        List<String> known = agents.stream().map(PinnedAgent::name).toList();
        if (!known.containsAll(names)) {
            throw BrigException.invalid("--install", "must be of " + String.join(",", known));
        }
        if (Paths.isRoot()) {
            throw BrigException.invalid(
                    "--install", "is for an ordinary user; root installs agents for all: npm install -g PACKAGE");
        }
    }
}
