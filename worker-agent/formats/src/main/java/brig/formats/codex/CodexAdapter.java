package brig.formats.codex;

import brig.formats.adapter.Adapter;
import brig.formats.adapter.Dialogue;
import java.util.Set;

/** Adapter for Codex 0.169, started as {@code codex app-server}. */
public final class CodexAdapter implements Adapter {
    @Override
    public Dialogue open(Context context) {
        return new CodexDialogue(context);
    }

    @Override
    public Set<String> tells() {
        return Set.of("model", "systemPrompt");
    }
}
