package brig.formats.codex;

import brig.protocol.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The arguments of tool calls for which Codex reports no argument object. */
final class ToolInput {
    private ToolInput() {}

    record Command(@Nullable String command, @Nullable String cwd) {}

    record Changes(List<JsonObject> changes) {}

    /** A call that concerns other threads. */
    record ForAgents(@Nullable String prompt, @Nullable Object agents) {}
}
