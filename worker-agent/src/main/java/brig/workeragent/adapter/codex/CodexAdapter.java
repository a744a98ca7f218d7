package brig.workeragent.adapter.codex;

import brig.workeragent.adapter.Adapter;
import brig.workeragent.adapter.Dialogue;
import java.util.Set;

/** Codex 0.169, started as {@code codex app-server}. */
public final class CodexAdapter implements Adapter {
    @Override
    public Dialogue open(Surroundings around) {
        return new CodexDialogue(around);
    }

    @Override
    public Set<String> tells() {
        return Set.of("model", "systemPrompt");
    }
}
