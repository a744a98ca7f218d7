package brig.formats.acp;

import brig.formats.adapter.Adapter;
import brig.formats.adapter.Dialogue;
import java.util.Set;

/**
 * Adapter for the Agent Client Protocol, version 1, on standard input and output. It serves any agent that speaks it.
 *
 * <p>OpenCode 1.18, started as {@code opencode acp}, does not report its sub-agents' work over ACP. A plugin of Brig
 * therefore writes the events of OpenCode's bus between the protocol's lines, as notifications of the method
 * {@code opencode/event}. Both share one pipe, so they stay in order and need no network.
 */
public final class AcpAdapter implements Adapter {
    private final boolean events;

    public AcpAdapter() {
        this(false);
    }

    private AcpAdapter(boolean events) {
        this.events = events;
    }

    /** The adapter that also reads the events of OpenCode's bus. */
    public static AcpAdapter openCode() {
        return new AcpAdapter(true);
    }

    @Override
    public Dialogue open(Context context) {
        return new AcpDialogue(context, events);
    }

    /** OpenCode takes its model from its configuration; other agents get the model over ACP. */
    @Override
    public Set<String> tells() {
        return events ? Set.of("systemPrompt") : Set.of("model", "systemPrompt");
    }
}
