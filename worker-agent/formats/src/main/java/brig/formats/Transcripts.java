package brig.formats;

import brig.formats.acp.OpenCodeOnTerminal;
import brig.formats.adapter.TranscriptReader;
import brig.formats.claude.ClaudeOnTerminal;
import brig.formats.codex.CodexOnTerminal;
import java.util.Optional;

/** The formats in which agents on a terminal write about themselves, by name. */
public final class Transcripts {
    private Transcripts() {}

    /** The readers of that format; empty if there is none. */
    public static Optional<TranscriptReader.Factory> named(String format) {
        return Optional.ofNullable(
                switch (format) {
                    case "claude" -> ClaudeOnTerminal::new;
                    case "codex" -> CodexOnTerminal::new;
                    case "opencode" -> (frames, activity, files) -> new OpenCodeOnTerminal(frames, activity);
                    default -> null;
                });
    }
}
