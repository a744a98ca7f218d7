package brig.cli;

import brig.cli.terminal.Terminal;
import brig.protocol.egress.EgressEvent;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Chunk.Channel;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.FrameOwner;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Prints the lines of a session, as the agent's own output or as they are, and remembers how it ended.
 *
 * <p>Decision 0126.
 */
final class StreamPrinter {
    /** Fields of a call's input that say what it is about, the first that is there. */
    private static final List<String> SUBJECTS =
            List.of("command", "path", "file_path", "filePath", "pattern", "url", "description");

    /** The reason of a turn whose time was over. */
    private static final String TIMEOUT = "timeout";

    private static final int REMEMBERED_MAX = 1024;
    private static final int TITLE_CHARS_MAX = 120;

    private final Terminal terminal;
    private final boolean json;
    private final boolean answer;
    private final Runnable beforeOutput;
    private int exitCode;
    private long lastSeq;
    private boolean ended;
    /** The agent has said who it is; what its program writes to standard error is about itself then. */
    private boolean introduced;

    private boolean withheld;
    private String spawnId = "";
    private boolean said;
    /** Hosts whose refusal was no news; told together at the end. */
    private final Set<String> quietHosts = new LinkedHashSet<>();
    /** The names of the agents that were told of, by their ids; the agent itself has the id "". */
    private final Map<String, String> names = new Newest();
    /** The tool calls that have their line. */
    private final Map<String, String> tools = new Newest();
    /** Whose words come, and whether they end within a line. */
    private String speaker = "";

    private String voice = "";
    private boolean within;
    private boolean aside;

    /** The newest only: a stream may name agents and calls without end. */
    private static final class Newest extends LinkedHashMap<String, String> {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > REMEMBERED_MAX;
        }
    }

    /** @param json prints every line as it came */
    StreamPrinter(Terminal terminal, boolean json) {
        this(terminal, json, false, () -> {});
    }

    /**
     * @param answer only what the agent itself says goes to standard output; its thoughts and its sub-agents' words do
     *     not, and what the program of an agent that Brig knows writes about itself is not shown
     * @param beforeOutput called before anything is printed
     */
    StreamPrinter(Terminal terminal, boolean json, boolean answer, Runnable beforeOutput) {
        this.terminal = terminal;
        this.json = json;
        this.answer = answer;
        this.beforeOutput = beforeOutput;
    }

    /** Only that agent's words follow: they need no line that says whose they are. */
    void expectOnly(String agent) {
        speaker = agent.equals(FrameOwner.MAIN) ? "" : agent;
    }

    void print(byte[] line) {
        print(line, true);
    }

    /** Takes the next line, and shows it where it is wanted. */
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
        // The answer to a refused "attach" is that of any request, without a type.
        if (!whole.has("type")) {
            GatewayClient.requireNoError(whole);
        }
        ConnectionLine about = whole.has("type") ? ConnectionLine.read(whole) : null;
        take(about, whole);
        show(line, about);
    }

    /** What later lines are read with: how it ended, what agents are called. */
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
                    Frame.Egress _,
                    Frame.Plan _,
                    Frame.Permission _,
                    Frame.Raw _ -> {}
            case null -> {}
        }
    }

    private void take(@Nullable ConnectionLine about, JsonObject line) {
        switch (about) {
            case ConnectionLine.Authenticated welcome -> spawnId = welcome.spawnId();
            case ConnectionLine.State state -> ended |= state.state().equals(Frame.State.TERMINATED);
            case ConnectionLine.Refused _ -> {
                if (lastSeq == 0) {
                    GatewayClient.requireNoError(line);
                }
            }
            case ConnectionLine.Gap _, ConnectionLine.Pong _, ConnectionLine.Session _, ConnectionLine.Presence _ -> {}
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
            // These, and what later versions bring, are for programs: --json shows them.
            case Frame.Accepted _,
                    Frame.SubAgent _,
                    Frame.Usage _,
                    Frame.Session _,
                    Frame.Plan _,
                    Frame.Permission _,
                    Frame.Raw _ -> {}
            case null -> {}
        }
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
                    ConnectionLine.Pong _,
                    ConnectionLine.Session _,
                    ConnectionLine.Presence _ -> {}
            case null -> {}
        }
    }

    /** A person's next prompt begins a line; and where something failed, the agent's program may have said why. */
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

    /** From here on that one speaks: where another one did, a line of its own says so. The agent alone needs none. */
    private void turnTo(String agent, boolean besides) {
        if (!agent.equals(speaker)) {
            endLine();
            speaker = agent;
            aside = besides;
            String name = names.getOrDefault(agent, agent.isEmpty() ? "agent" : TreeDrawing.nameOf("agent", agent));
            // An answer stands alone: it is what a script reads.
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

    /** What Brig says next begins a line; an answer that goes into a file or a pipe stays as it is. */
    private void endLine() {
        if (within && (aside || !answer || terminal.isLive())) {
            words(voice, "\n");
        }
    }

    /** One line for each call: when it runs, or when all is known of it that will be. */
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

    /** What the agent is asked. Who runs one message knows it. */
    private void printMessage(Frame.Message message) {
        if (!answer && !message.more()) {
            endLine();
            String by = (message.by() == null ? "somebody" : message.by())
                    + (message.via() == null ? "" : " by " + message.via());
            terminal.note(by + ": " + TreeDrawing.cut(message.content(), TITLE_CHARS_MAX));
        }
    }

    /** What was refused, and what a person is asked, with the command that answers. The rest is for programs. */
    private void printEgress(@Nullable EgressEvent event) {
        switch (event) {
            case EgressEvent.Blocked(EgressEvent.Request request) ->
                terminal.note("blocked "
                        + EgressCommand.request(
                                request.method(), request.scheme(), request.host(), request.port(), request.path())
                        + ": " + request.rule());
            case EgressEvent.Ask ask -> {
                String host = EgressCommand.hostOf(ask.host(), ask.port());
                terminal.note("the agent wants to reach " + host + "; for " + ask.deadlineMs() / 1000
                        + " s it waits for: brig egress allow " + spawnId + " " + host + " (--once, --save), or deny");
            }
            case EgressEvent.Quiet(EgressEvent.Request request) ->
                quietHosts.add(EgressCommand.hostOf(request.host(), request.port()));
            case EgressEvent.ProjectFile file -> terminal.note(file.rule());
            case EgressEvent.TlsFailed failed ->
                terminal.note("a program of the agent does not trust Brig's certificate for "
                        + EgressCommand.hostOf(failed.host(), failed.port()));
            // It goes on.
            case EgressEvent.Allowed _, EgressEvent.Answered _, EgressEvent.Subagent _, EgressEvent.Usage _ -> {}
            case null -> {}
        }
    }

    /** The exit code of the last message that was worked off. */
    int exitCode() {
        return exitCode;
    }

    /** Whether the agent said anything at all. */
    boolean hasSaid() {
        return said;
    }

    /** Whether the stream said that nothing follows. */
    boolean isEnded() {
        return ended;
    }

    long lastSeq() {
        return lastSeq;
    }
}
