package brig.cli;

import brig.cli.terminal.Terminal;
import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import brig.protocol.wire.FrameOwner;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Prints the lines of a session, as the agent's own output or as they are, and remembers how it ended.
 *
 * <p>Decision 0126.
 */
final class StreamPrinter {
    private static final Set<String> SHOWN = Set.of("chunk", "error", "gap", "egress", "tool", "message");
    /** Fields of a call's input that say what it is about, the first that is there. */
    private static final List<String> SUBJECTS =
            List.of("command", "path", "file_path", "filePath", "pattern", "url", "description");

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
        Fields frame = new Fields(Json.parseObject(line));
        lastSeq = frame.number("seq", 1, Long.MAX_VALUE, lastSeq);
        String type = frame.text("type", "");
        spawnId = type.equals("authenticated") ? frame.text("spawn_id", "") : spawnId;
        if (type.equals("done")) {
            exitCode = (int) frame.number("exitCode", 0, 255, 0);
        }
        ended |= type.equals("state") && frame.text("state", "").equals("terminated");
        introduced |= type.equals("session") && frame.has("seq");
        // The answer to a refused "attach" is that of any request, without a type.
        boolean refused = type.isEmpty() || type.equals("error");
        if (refused && !frame.has("seq") && lastSeq == 0) {
            GatewayClient.requireNoError(frame);
        }
        note(type, frame);
        if (!wanted && frame.has("seq")) {
            return;
        }
        boolean late = type.equals("done") && frame.text("reason", "").equals("timeout");
        if (json || SHOWN.contains(type) || late) {
            beforeOutput.run();
        }
        if (json) {
            terminal.json(line);
            return;
        }
        switch (type) {
            case "chunk" -> printWords(frame);
            case "tool" -> printTool(frame);
            case "message" -> printMessage(frame);
            case "state" -> {
                if (ended) {
                    printEnd();
                }
            }
            case "error" -> {
                endLine();
                terminal.note(frame.text("error", "") + " (" + frame.text("code", "") + ")");
            }
            case "egress" -> printEgress(frame);
            case "done" -> {
                if (late) {
                    terminal.note("the agent was ended: its time was over (--timeout, or wallClockMs of its policy)");
                }
            }
            case "gap" ->
                terminal.note("frames " + frame.number("from", 0, Long.MAX_VALUE, 0) + " to "
                        + frame.number("to", 0, Long.MAX_VALUE, 0) + " are missing: " + frame.text("reason", ""));
            default -> {
                // States and what later versions bring are for programs: --json shows them.
            }
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

    /** What other frames are read with: what agents are called. */
    private void note(String type, Fields frame) {
        if (type.equals("session")) {
            names.put("", frame.text("agent", "agent"));
        } else if (type.equals("subagent") && frame.has("agent_id")) {
            String id = frame.text("agent_id", "");
            String kind = frame.text("subagent_type");
            names.merge(
                    id, TreeDrawing.nameOf(kind == null ? "agent" : kind, id), (old, now) -> kind == null ? old : now);
        }
    }

    private void printWords(Fields frame) {
        String agent = frame.text("agent", "");
        String stream = frame.text("stream", "");
        boolean besides = stream.equals("stderr") || (answer && (frame.has("agent") || stream.equals("thought")));
        String content = frame.text("content", "");
        said = true;
        if (stream.equals("stderr") && answer && introduced) {
            withheld = true;
        } else if (!content.isEmpty()) {
            turnTo(agent, besides);
            words(agent + "/" + stream, content);
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
    private void printTool(Fields frame) {
        String id = frame.text("id", "");
        boolean named = frame.has("name") || frame.has("title");
        if (!named || frame.text("status", "").equals("pending") || tools.containsKey(id)) {
            return;
        }
        tools.put(id, "");
        endLine();
        turnTo(frame.text("agent", ""), answer);
        Map<String, ?> input = frame.asMap().get("input") instanceof Map<?, ?>
                ? frame.object("input").asMap()
                : Map.of();
        String about = SUBJECTS.stream()
                .map(input::get)
                .filter(String.class::isInstance)
                .map(String.class::cast)
                .findFirst()
                .orElse(frame.text("title", ""));
        line("[" + TreeDrawing.cut(frame.text("name", frame.text("kind", "tool")), TITLE_CHARS_MAX) + "] "
                + TreeDrawing.cut(about, TITLE_CHARS_MAX));
    }

    /** What the agent is asked. Who runs one message knows it. */
    private void printMessage(Fields frame) {
        if (!answer && !frame.flag("more")) {
            endLine();
            String by = frame.text("by", "somebody") + (frame.has("via") ? " by " + frame.text("via", "") : "");
            terminal.note(by + ": " + TreeDrawing.cut(frame.text("content", ""), TITLE_CHARS_MAX));
        }
    }

    /** What was refused, and what a person is asked, with the command that answers. The rest is for programs. */
    private void printEgress(Fields frame) {
        String host = EgressCommand.hostOf(frame);
        switch (frame.text("kind", "")) {
            case "blocked" -> terminal.note("blocked " + EgressCommand.request(frame) + ": " + frame.text("rule", ""));
            case "ask" ->
                terminal.note("the agent wants to reach " + host + "; for "
                        + frame.number("deadlineMs", 0, Long.MAX_VALUE, 0) / 1000
                        + " s it waits for: brig egress allow "
                        + spawnId + " " + host + " (--once, --save), or deny");
            case "quiet" -> quietHosts.add(host);
            case "project_file" -> terminal.note(frame.text("rule", ""));
            case "tls_failed" -> terminal.note("a program of the agent does not trust Brig's certificate for " + host);
            default -> {
                // Allowed, answered: it goes on.
            }
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
