package brig.formats;

import brig.formats.acp.AcpAdapter;
import brig.formats.adapter.Adapter;
import brig.formats.adapter.TextAdapter;
import brig.formats.claude.ClaudeAdapter;
import brig.formats.codex.CodexAdapter;
import java.util.Optional;

/** All adapters, by the name that agent profiles use. */
public final class Adapters {
    private Adapters() {}

    /** The adapter of that name; empty if there is none. */
    public static Optional<Adapter> named(String name) {
        return Optional.ofNullable(
                switch (name) {
                    case "text" -> new TextAdapter();
                    case "claude" -> new ClaudeAdapter();
                    case "codex" -> new CodexAdapter();
                    case "acp" -> new AcpAdapter();
                    case "opencode" -> AcpAdapter.openCode();
                    default -> null;
                });
    }
}
