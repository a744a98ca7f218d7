package brig.workeragent.profile;

import brig.formats.Transcripts;
import brig.protocol.record.Default;
import brig.protocol.record.Settings;
import java.util.List;
import java.util.Map;

/**
 * An agent on a terminal.
 *
 * @param argv in place of {@code command}; empty for the same
 * @param arguments in place of {@code arguments}
 * @param env further variables
 * @param size which of its captains' sizes counts: of who typed {@code last}, or the {@code smallest}
 * @param transcript the format in which it writes about itself; empty for none. {@code {events}} in an argument or a
 *     variable is the file for its hooks
 */
@Settings
public record TerminalStart(
        @Default List<String> argv,
        @Default Map<String, List<String>> arguments,
        @Default Map<String, String> env,
        @Default("last") String size,
        @Default("") String transcript) {
    public TerminalStart {
        if (!transcript.isEmpty() && Transcripts.named(transcript).isEmpty()) {
            throw new IllegalArgumentException("tty.transcript: there is none of the name '" + transcript + "'");
        }
        ProfileValues.requireOneOf("tty.size", size, List.of("last", "smallest"));
        if (!argv.isEmpty() && argv.getFirst().isEmpty()) {
            throw new IllegalArgumentException("tty.argv: must name a program");
        }
        argv.forEach(argument -> ProfileValues.requireNoNul("tty.argv", argument));
        ProfileValues.requireVariables("tty.env", env);
        ProfileValues.requireArguments("tty.arguments", arguments);
    }

    public boolean isSmallest() {
        return size.equals("smallest");
    }
}
