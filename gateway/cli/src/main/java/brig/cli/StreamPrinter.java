package brig.cli;

import brig.cli.terminal.Terminal;
import brig.protocol.NewestMap;
import brig.protocol.egress.EgressEvent;
import brig.protocol.frame.AskDetail;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Chunk.Channel;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.FrameOwner;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Prints the lines of a session, as the agent's output or unchanged, and remembers how it ended.
 *
 * <p>Decision 0126.
 */
final class StreamPrinter {
    /** Input fields of a call that describe its subject; the first one present is used. */
    private static final List<String> SUBJECTS =
            List.of("command", "path", "file_path", "filePath", "pattern", "url", "description");

    /** The reason of a turn that timed out. */
    static final String TIMEOUT = "timeout";

    private static final String CAPTAIN = "captain";

    private static final int REMEMBERED_MAX = 1024;
    private static final int TITLE_CHARS_MAX = 120;

    private final Terminal terminal;
    private final boolean json;
    private final boolean answer;
    private final Runnable beforeOutput;
    private int exitCode;
    private long lastSeq;
    private boolean ended;
    /** The agent has identified itself; its standard error is then a message of its program. */
    private boolean introduced;

    private boolean withheld;
    private String spawnId = "";
    /** Takes answers at this terminal; null if the person cannot answer here. */
    private @Nullable AskPrompts prompts;

    private boolean said;
    /** Hosts that were refused as expected; reported together at the end. */
    private final Set<String> quietHosts = new LinkedHashSet<>();
    /** The names of known agents by id; the agent itself has the id "". */
    private final Map<String, String> names = new NewestMap<>(REMEMBERED_MAX);
    /** Tool calls that were printed. */
    private final Map<String, String> tools = new NewestMap<>(REMEMBERED_MAX);
    /** The current speaker, and whether its text ends within a line. */
    private String speaker = "";

    private String voice = "";
    private boolean within;
    private boolean aside;

    /** @param json prints every line unchanged */
    StreamPrinter(Terminal terminal, boolean json) {
        this(terminal, json, false, () -> {});
    }

    /**
     * @param answer whether only the agent's own answer goes to standard output; its reasoning and sub-agents do not,
     *     and messages of a known agent's program are not shown
     * @param beforeOutput called before anything is printed
     */
    StreamPrinter(Terminal terminal, boolean json, boolean answer, Runnable beforeOutput) {
        this.terminal = terminal;
        this.json = json;
        this.answer = answer;
        this.beforeOutput = beforeOutput;
    }

    /** Only that agent's output follows, so no line names the speaker. */
    void expectOnly(String agent) {
        speaker = agent.equals(FrameOwner.MAIN) ? "" : agent;
    }

    /** Lets a captain answer what the agent asks at this terminal. */
    void promptWith(AskPrompts asks) {
        prompts = asks;
    }

    /** No more lines are available at the moment: shows what the agent asks now. */
    void showAsks() {
        if (prompts != null && prompts.hasNew()) {
            beforeOutput.run();
            endLine();
            prompts.showNew();
        }
    }

    void print(byte[] line) {
        print(line, true);
    }

    /** Processes the next line, and prints it if it is wanted. */
    void print(byte[] line, boolean wanted) {
        JsonObject whole = JsonObject.read(line);
        if (whole.has("seq")) {
            lastSeq = whole.number("seq", 0);
            Frame frame = whole.as(NumberedFrame.class).frame();
            take(frame);
            if (wanted) {
                show(line, frame);
            }
            return;
        }
        // A refused "attach" has an answer without a type.
        if (!whole.has("type")) {
            GatewayClient.requireNoError(whole);
        }
        ConnectionLine about = whole.has("type") ? ConnectionLine.read(whole) : null;
        take(about, whole);
        show(line, about);
    }

    /** Remembers what later lines depend on: how it ended, the names of agents. */
    private void take(@Nullable Frame frame) {
        switch (frame) {
            case Frame.Done done -> exitCode = done.exitCode();
            case Frame.State state -> ended |= state.isTerminated();
            case Frame.Session session -> {
                introduced = true;
                names.put("", session.agent() == null ? "agent" : session.agent());
            }
            case Frame.SubAgent agent -> {
                String kind = agent.subagentType();
                names.merge(
                        agent.agentId(),
                        TreeDrawing.nameOf(kind == null ? "agent" : kind, agent.agentId()),
                        (old, now) -> kind == null ? old : now);
            }
            case Frame.Message _,
                    Frame.Accepted _,
                    Frame.Chunk _,
                    Frame.Failure _,
                    Frame.Tool _,
                    Frame.Usage _,
                    Frame.Budget _,
                    Frame.Egress _,
                    Frame.Plan _,
                    Frame.Permission _,
                    Frame.Ask _,
                    Frame.Answered _,
                    Frame.Raw _,
                    Frame.Tty _,
                    Frame.Screen _,
                    Frame.Activity _,
                    Frame.Checkpoint _,
                    Frame.Forked _ -> {}
            case null -> {}
        }
    }

    private void take(@Nullable ConnectionLine about, JsonObject line) {
        switch (about) {
            case ConnectionLine.Authenticated welcome -> {
                spawnId = welcome.spawnId();
                if (!welcome.role().equals(CAPTAIN)) {
                    prompts = null;
                }
            }
            case ConnectionLine.State state -> ended |= state.state().equals(Frame.State.TERMINATED);
            case ConnectionLine.Refused _ -> {
                if (lastSeq == 0) {
                    GatewayClient.requireNoError(line);
                }
            }
            case ConnectionLine.Gap _,
                    ConnectionLine.Answer _,
                    ConnectionLine.Pong _,
                    ConnectionLine.Session _,
                    ConnectionLine.Presence _ -> {}
            case null -> {}
        }
    }

    private void show(byte[] line, @Nullable Frame frame) {
        if (json) {
            beforeOutput.run();
            terminal.json(line);
            return;
        }
        switch (frame) {
            case Frame.Chunk chunk -> {
                beforeOutput.run();
                printWords(chunk);
            }
            case Frame.Tool tool -> {
                beforeOutput.run();
                printTool(tool);
            }
            case Frame.Message message -> {
                beforeOutput.run();
                printMessage(message);
            }
            case Frame.Egress egress -> {
                beforeOutput.run();
                printEgress(egress.event());
            }
            case Frame.Budget budget -> {
                String refused = budget.use().refused();
                if (refused != null || budget.use().percent() > 0) {
                    beforeOutput.run();
                    terminal.note(refused == null ? budget.use().words() : refused);
                }
            }
            case Frame.Ask ask -> {
                if (prompts != null) {
                    prompts.add(ask);
                } else {
                    printAsk(ask);
                    terminal.note("  brig answer " + ask.askId() + " " + ask.choices());
                }
            }
            case Frame.Answered answered -> {
                Frame.Ask unshown = prompts == null ? null : prompts.settle(answered.askId());
                if (unshown != null) {
                    printAsk(unshown);
                }
                beforeOutput.run();
                endLine();
                terminal.note("answered: " + words(answered));
            }
            case Frame.Failure failure -> {
                beforeOutput.run();
                endLine();
                terminal.note(failure.error() + " (" + failure.code() + ")");
            }
            case Frame.Done done -> {
                if (TIMEOUT.equals(done.reason())) {
                    beforeOutput.run();
                    terminal.note("the agent was ended: its time was over (--timeout, or wallClockMs of its policy)");
                }
            }
            case Frame.State _ -> {
                if (ended) {
                    printEnd();
                }
            }
            case Frame.Forked forked -> {
                beforeOutput.run();
                endLine();
                terminal.note("a fork of " + forked.forkedFrom().spawnId() + " at frame "
                        + forked.forkedFrom().seq()
                        + switch (forked.conversation()) {
                            case AGENT -> "; its agent has a copy of the conversation";
                            case SUMMARY -> "; its agent is told a summary of what happened there";
                            case NONE -> "; its agent knows nothing of what happened there";
                            case null -> "";
                        });
            }
            case Frame.Checkpoint checkpoint -> {
                if (checkpoint.restored() != null) {
                    beforeOutput.run();
                    endLine();
                    terminal.note("the workspace is what it was at frame " + checkpoint.restored());
                }
            }
            // These, and frames of later versions, are for programs: --json shows them.
            case Frame.Accepted _,
                    Frame.SubAgent _,
                    Frame.Usage _,
                    Frame.Session _,
                    Frame.Plan _,
                    Frame.Permission _,
                    Frame.Raw _,
                    Frame.Tty _,
                    Frame.Screen _,
                    Frame.Activity _ -> {}
            case null -> {}
        }
    }

    private void printAsk(Frame.Ask ask) {
        beforeOutput.run();
        endLine();
        terminal.note(
                AskPrompts.headline(ask) + ": " + TreeDrawing.cut(AskDetail.brief(ask.detail()), TITLE_CHARS_MAX));
    }

    /** How an ask ended, in words. */
    static String words(Frame.Answered answered) {
        String what = answered.option() == null ? "" : answered.option();
        return switch (answered.reason()) {
            case PERSON -> (answered.text() == null ? what : answered.text()) + ", by " + answered.by();
            case POLICY -> what + ", by a rule";
            case DEADLINE -> what + ", as nobody answered in time";
            case WITHDRAWN -> "the agent no longer asks";
            case ENDED -> "the turn is over";
            case null -> what;
        };
    }

    private void show(byte[] line, @Nullable ConnectionLine about) {
        if (json) {
            beforeOutput.run();
            terminal.json(line);
            return;
        }
        switch (about) {
            case ConnectionLine.Refused refusal -> {
                beforeOutput.run();
                endLine();
                terminal.note(refusal.error() + " (" + refusal.code() + ")");
            }
            case ConnectionLine.Gap gap -> {
                beforeOutput.run();
                terminal.note("frames " + gap.from() + " to " + gap.to() + " are missing: " + gap.reason());
            }
            case ConnectionLine.State _ -> {
                if (ended) {
                    printEnd();
                }
            }
            case ConnectionLine.Authenticated _,
                    ConnectionLine.Answer _,
                    ConnectionLine.Pong _,
                    ConnectionLine.Session _,
                    ConnectionLine.Presence _ -> {}
            case null -> {}
        }
    }

    /** Ends the line for the next prompt; after a failure, shows what the agent's program reported. */
    private void printEnd() {
        if (terminal.isLive()) {
            endLine();
        }
        if (withheld && exitCode != 0) {
            terminal.note("the agent's program wrote something about itself: brig logs " + spawnId);
        }
        if (!quietHosts.isEmpty()) {
            terminal.note(
                    "it asked for " + String.join(", ", quietHosts) + " by habit, and was refused; that is no fault");
            quietHosts.clear();
        }
    }

    private void printWords(Frame.Chunk chunk) {
        boolean besides = chunk.stream() == Channel.STDERR
                || (answer && (chunk.agent() != null || chunk.stream() == Channel.THOUGHT));
        said = true;
        if (chunk.stream() == Channel.STDERR && answer && introduced) {
            withheld = true;
        } else if (!chunk.content().isEmpty()) {
            String agent = chunk.agent() == null ? "" : chunk.agent();
            turnTo(agent, besides);
            words(agent + "/" + chunk.stream(), chunk.content());
        }
    }

    private void words(String from, String content) {
        if (aside) {
            terminal.contentAside(from, content);
        } else {
            terminal.content(from, content);
        }
        voice = from;
        within = !content.endsWith("\n");
    }

    /** Changes the speaker, and names it on a line of its own if it is another one. The agent alone needs none. */
    private void turnTo(String agent, boolean besides) {
        if (!agent.equals(speaker)) {
            endLine();
            speaker = agent;
            aside = besides;
            String name = names.getOrDefault(agent, agent.isEmpty() ? "agent" : TreeDrawing.nameOf("agent", agent));
            // The answer stands alone, as scripts read it.
            if (!answer || besides) {
                line("--- " + name + " ---");
            }
        }
        aside = besides;
    }

    private void line(String text) {
        if (aside) {
            terminal.noteAside(text);
        } else {
            terminal.println(text);
        }
    }

    /** Ends the line before Brig's own output; an answer into a file or a pipe stays unchanged. */
    private void endLine() {
        if (within && (aside || !answer || terminal.isLive())) {
            words(voice, "\n");
        }
    }

    /** One line for each call: when it runs, or when everything about it is known. */
    private void printTool(Frame.Tool call) {
        boolean named = call.name() != null || call.title() != null;
        if (!named || call.status() == Frame.Tool.Progress.PENDING || tools.containsKey(call.id())) {
            return;
        }
        tools.put(call.id(), "");
        endLine();
        turnTo(call.agent() == null ? "" : call.agent(), answer);
        JsonObject input = JsonObject.element(call.input());
        String about = SUBJECTS.stream()
                .map(input::text)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(call.title() == null ? "" : call.title());
        String name = call.name() != null ? call.name() : call.kind() != null ? call.kind() : "tool";
        line("[" + TreeDrawing.cut(name, TITLE_CHARS_MAX) + "] " + TreeDrawing.cut(about, TITLE_CHARS_MAX));
    }

    /** Prints the prompt, unless the caller of a single message knows it. */
    private void printMessage(Frame.Message message) {
        if (!answer && !message.more()) {
            endLine();
            String by = (message.by() == null ? "somebody" : message.by())
                    + (message.via() == null ? "" : " by " + message.via());
            terminal.note(by + ": " + TreeDrawing.cut(message.content(), TITLE_CHARS_MAX));
        }
    }

    /** Prints refused requests. Other events are for programs. */
    private void printEgress(@Nullable EgressEvent event) {
        switch (event) {
            case EgressEvent.Blocked(EgressEvent.Request request) ->
                terminal.note("blocked "
                        + EgressCommand.request(
                                request.method(), request.scheme(), request.host(), request.port(), request.path())
                        + ": " + request.rule());
            case EgressEvent.Quiet(EgressEvent.Request request) ->
                quietHosts.add(EgressCommand.hostOf(request.host(), request.port()));
            case EgressEvent.ProjectFile file -> terminal.note(file.rule());
            case EgressEvent.TlsFailed failed ->
                terminal.note("a program of the agent does not trust Brig's certificate for "
                        + EgressCommand.hostOf(failed.host(), failed.port()));
            case EgressEvent.ThrottledByProvider at ->
                terminal.note(
                        EgressCommand.hostOf(at.host(), at.port()) + " limits the rate: requests wait for their turn");
            // The request proceeds, or has an ask frame too.
            case EgressEvent.Allowed _,
                    EgressEvent.Ask _,
                    EgressEvent.Answered _,
                    EgressEvent.ProviderResumed _,
                    EgressEvent.Subagent _,
                    EgressEvent.Budget _,
                    EgressEvent.Usage _ -> {}
            case null -> {}
        }
    }

    /** The exit code of the last turn. */
    int exitCode() {
        return exitCode;
    }

    /** Whether the agent produced any output. */
    boolean hasSaid() {
        return said;
    }

    /** Whether the stream has ended. */
    boolean isEnded() {
        return ended;
    }

    long lastSeq() {
        return lastSeq;
    }
}
