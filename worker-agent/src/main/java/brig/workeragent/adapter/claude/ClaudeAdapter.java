package brig.workeragent.adapter.claude;

import brig.workeragent.adapter.Adapter;
import brig.workeragent.adapter.Dialogue;
import java.util.Set;

/**
 * Claude Code 2.1, started with {@code -p --input-format stream-json --output-format stream-json --verbose
 * --include-partial-messages --forward-subagent-text --permission-prompt-tool stdio}.
 */
public final class ClaudeAdapter implements Adapter {
    @Override
    public Dialogue open(Surroundings around) {
        return new ClaudeDialogue(around);
    }

    @Override
    public Set<String> tells() {
        return Set.of("systemPrompt");
    }
}
