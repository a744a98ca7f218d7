package brig.gateway.cli;

import brig.gateway.terminal.Terminal;
import brig.protocol.Fields;
import brig.protocol.Json;
import java.util.LinkedHashSet;
import java.util.Set;

/** Prints the lines of a session, as the agent's own output or as they are, and remembers how it ended. */
final class StreamPrinter {
    private static final Set<String> SHOWN = Set.of("chunk", "error", "gap", "egress");

    private final Terminal terminal;
    private final boolean json;
    private final boolean answer;
    private final Runnable beforeOutput;
    private int exitCode;
    private long lastSeq;
    private boolean ended;
    private String spawnId = "";
    private boolean said;
    /** Hosts whose refusal was no news; told together at the end. */
    private final Set<String> quietHosts = new LinkedHashSet<>();

    /** @param json prints every line as it came */
    StreamPrinter(Terminal terminal, boolean json) {
        this(terminal, json, false, () -> {});
    }

    /**
     * @param answer only what the agent itself says goes to standard output; its thoughts and its sub-agents' words do not
     * @param beforeOutput called before anything is printed
     */
    StreamPrinter(Terminal terminal, boolean json, boolean answer, Runnable beforeOutput) {
        this.terminal = terminal;
        this.json = json;
        this.answer = answer;
        this.beforeOutput = beforeOutput;
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
        // The answer to a refused "attach" is that of any request, without a type.
        boolean refused = type.isEmpty() || type.equals("error");
        if (refused && !frame.has("seq") && lastSeq == 0) {
            GatewayClient.requireNoError(frame);
        }
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
            case "chunk" -> {
                said = true;
                String content = frame.text("content", "");
                String stream = frame.text("stream", "");
                boolean aside = answer && (frame.has("agent") || stream.equals("thought"));
                String from = frame.text("agent", "") + "/" + stream;
                if (stream.equals("stderr") || aside) {
                    terminal.contentAside(from, content);
                } else {
                    terminal.content(from, content);
                }
            }
            case "error" -> terminal.note(frame.text("error", "") + " (" + frame.text("code", "") + ")");
            case "egress" -> printEgress(frame);
            case "done" -> {
                if (late) {
                    terminal.note("the agent was ended: its time was over (--timeout, or wallClockMs of its policy)");
                }
            }
            case "state" -> {
                if (ended && !quietHosts.isEmpty()) {
                    terminal.note("it asked for " + String.join(", ", quietHosts)
                            + " by habit, and was refused; that is no fault");
                    quietHosts.clear();
                }
            }
            case "gap" -> terminal.note("frames " + frame.number("from", 0, Long.MAX_VALUE, 0) + " to "
                    + frame.number("to", 0, Long.MAX_VALUE, 0) + " are missing: " + frame.text("reason", ""));
            default -> {
                // States, tools and what later versions bring are for programs: --json shows them.
            }
        }
    }

    /** What was refused, and what a person is asked, with the command that answers. The rest is for programs. */
    private void printEgress(Fields frame) {
        String host = EgressCommand.hostOf(frame);
        switch (frame.text("kind", "")) {
            case "blocked" -> terminal.note("blocked " + EgressCommand.request(frame) + ": " + frame.text("rule", ""));
            case "ask" -> terminal.note("the agent wants to reach " + host + "; for "
                    + frame.number("deadlineMs", 0, Long.MAX_VALUE, 0) / 1000 + " s it waits for: brig egress allow "
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
