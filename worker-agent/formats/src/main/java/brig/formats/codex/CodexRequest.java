package brig.formats.codex;

import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Foreign;
import brig.protocol.record.Name;
import brig.protocol.record.Tagged;
import org.jspecify.annotations.Nullable;

/** A request of Codex, which waits for the answer. */
@Tagged(value = "method", content = "params")
@CamelCase
@Foreign
sealed interface CodexRequest {
    /** The item that it concerns; null for none. */
    default @Nullable String itemId() {
        return null;
    }

    /** Why Codex asks, in its own words; null for none. */
    default @Nullable String reason() {
        return null;
    }

    /** The command that it concerns, a string or a list of words; null for none. */
    default @Nullable Object command() {
        return null;
    }

    @Name("item/commandExecution/requestApproval")
    record CommandApproval(
            @Nullable String itemId,
            @Nullable Object command,
            @Nullable String reason) implements CodexRequest {}

    @Name("item/fileChange/requestApproval")
    record FileApproval(@Nullable String itemId, @Nullable String reason) implements CodexRequest {}

    @Name("item/permissions/requestApproval")
    record PermissionsApproval(
            @Nullable String itemId,
            @Nullable JsonObject permissions,
            @Nullable String reason) implements CodexRequest {}

    /** An approval request of Codex versions without items. */
    @Name("execCommandApproval")
    record ExecApproval(@Nullable Object command, @Nullable String reason) implements CodexRequest {}

    /** An approval request of Codex versions without items. */
    @Name("applyPatchApproval")
    record PatchApproval(@Nullable String reason) implements CodexRequest {}

    /** A question to a person. */
    sealed interface Form extends CodexRequest {}

    @Name("item/tool/requestUserInput")
    record UserInput(@Nullable String itemId) implements Form {}

    @Name("mcpServer/elicitation/request")
    record Elicitation() implements Form {}
}
