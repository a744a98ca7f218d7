package brig.formats.acp;

import brig.formats.adapter.Adapter;
import brig.formats.adapter.Dialogue;
import java.util.Set;

/**
 * The Agent Client Protocol, version 1, on standard input and output: any agent that speaks it.
 *
 * <p>OpenCode 1.18, started as {@code opencode acp}, does not tell there what its sub-agents do. A plugin that Brig
 * brings along writes the events of its bus between the lines of the protocol, as notifications of the method
 * {@code opencode/event}: on the same pipe, so they stay in order, and without a network.
 */
public final class AcpAdapter implements Adapter {
    private final boolean events;

    public AcpAdapter() {
        this(false);
    }

    private AcpAdapter(boolean events) {
        this.events = events;
    }

    /** With the events of OpenCode. */
    public static AcpAdapter openCode() {
        return new AcpAdapter(true);
    }

    @Override
    public Dialogue open(Context context) {
        return new AcpDialogue(context, events);
    }

    /** OpenCode knows the models that its configuration defines; another agent is asked what it has. */
    @Override
    public Set<String> tells() {
        return events ? Set.of("systemPrompt") : Set.of("model", "systemPrompt");
    }
}
