package brig.formats.claude;

import brig.formats.adapter.Adapter;
import brig.formats.adapter.Dialogue;
import java.util.Set;

/**
 * Adapter for Claude Code 2.1, started with {@code -p --input-format stream-json --output-format stream-json --verbose
 * --include-partial-messages --forward-subagent-text --permission-prompt-tool stdio}.
 */
public final class ClaudeAdapter implements Adapter {
    @Override
    public Dialogue open(Context context) {
        return new ClaudeDialogue(context);
    }

    @Override
    public Set<String> tells() {
        return Set.of("systemPrompt");
    }
}
