package brig.gateway.openai;

import brig.protocol.NewestMap;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Describes an agent's tool calls for people: the command or file, then a limited part of the output. They are not sent
 * as {@code tool_calls}, which a client would execute. Owned by the event loop.
 */
final class ToolNotes {
    /** Limit for the output of a call; the stream of the session has all of it. */
    static final int OUTPUT_CHARACTERS_MAX = 4000;

    private static final int INPUT_CHARACTERS_MAX = 1000;
    private static final int CALLS_MAX = 1000;
    private static final List<String> COMMANDS = List.of("command", "cmd");
    private static final List<String> SUBJECTS = List.of("filePath", "file_path", "path", "pattern", "url", "query");

    /** A call: its name, whether it was described, and how much of its output was shown. */
    private static final class Call {
        private String name = "";
        private boolean begun;
        private int told;
        private boolean live;
    }

    private final Map<String, Call> calls = new NewestMap<>(CALLS_MAX);

    private Call call(String id) {
        return calls.computeIfAbsent(id, unknown -> new Call());
    }

    /** The text for a frame; empty for nothing new. */
    String handle(Frame.Tool frame) {
        Call call = call(frame.id());
        call.name = frame.name() == null ? call.name : frame.name();
        StringBuilder note = new StringBuilder();
        boolean runs = frame.name() != null && frame.status() == Frame.Tool.Progress.RUNNING;
        if (!call.begun && (frame.input() != null || runs)) {
            call.begun = true;
            note.append(beginning(call.name, frame));
        }
        String output = frame.output() == null ? "" : frame.output();
        if (!call.live && !output.isEmpty()) {
            note.append(bounded(call, output));
            note.append(output.endsWith("\n") || frame.more() ? "" : "\n");
        }
        if (frame.status() == Frame.Tool.Progress.FAILED && !frame.more()) {
            note.append("\n[").append(call.name.isEmpty() ? "tool" : call.name).append(" failed]\n");
        }
        return note.toString();
    }

    /** The text for more output of a running call, within the limit. */
    String handleOutput(String id, String content) {
        Call call = call(id);
        call.live = true;
        return bounded(call, content);
    }

    private static String bounded(Call call, String text) {
        int room = OUTPUT_CHARACTERS_MAX - call.told;
        call.told = Math.min(OUTPUT_CHARACTERS_MAX + 1, call.told + text.length());
        return text.length() <= room ? text : room < 0 ? "" : text.substring(0, room) + "\n[…]\n";
    }

    private static String beginning(String name, Frame.Tool frame) {
        JsonObject input = JsonObject.element(frame.input());
        String command = first(input, COMMANDS);
        if (!command.isEmpty()) {
            return "\n$ " + command + "\n";
        }
        String subject = first(input, SUBJECTS);
        String title = frame.title() == null ? name : frame.title();
        return "\n[" + (subject.isEmpty() ? title : name + " " + subject) + "]\n";
    }

    /** A command may be a list of words. */
    private static String first(JsonObject input, List<String> names) {
        for (String name : names) {
            String text = switch (input.value(name)) {
                case String one -> one;
                case List<?> words -> words.stream().map(String::valueOf).collect(Collectors.joining(" "));
                case null, default -> "";
            };
            if (!text.isEmpty()) {
                return text.substring(0, Math.min(text.length(), INPUT_CHARACTERS_MAX));
            }
        }
        return "";
    }
}
