package brig.formats.codex;

import brig.formats.adapter.Questions.Choice;
import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Default;
import brig.protocol.record.Foreign;
import brig.protocol.record.Name;
import brig.protocol.record.Tagged;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request of Codex, which waits for the answer. */
@Tagged(value = "method", content = "params")
@CamelCase
@Foreign
sealed interface CodexRequest {
    String SHELL = "shell";
    String EDIT = "edit";

    /** The item that it concerns; null for none. */
    default @Nullable String itemId() {
        return null;
    }

    /** Why Codex asks, in its own words; null for none. */
    default @Nullable String reason() {
        return null;
    }

    /** The tool as the rules of a profile call it. */
    default String ruled() {
        return "permissions";
    }

    /**
     * @param networkApprovalContext the host that the command wants to reach; null if the command itself is asked for
     * @param additionalPermissions what it may do more than usual; null for nothing
     */
    @Name("item/commandExecution/requestApproval")
    record CommandApproval(
            @Nullable String itemId,
            @Nullable Object command,
            @Nullable String reason,
            @Nullable Object networkApprovalContext,
            @Nullable Object additionalPermissions)
            implements CodexRequest {
        @Override
        public String ruled() {
            return isForCommandAlone() ? SHELL : CodexRequest.super.ruled();
        }

        private boolean isForCommandAlone() {
            return networkApprovalContext == null && additionalPermissions == null;
        }

        /** What is asked for: the command, or what it may do besides. */
        @Nullable
        Object input() {
            return isForCommandAlone()
                    ? command
                    : JsonObject.EMPTY
                            .with("command", command)
                            .with("network", networkApprovalContext)
                            .with("additional_permissions", additionalPermissions);
        }
    }

    @Name("item/fileChange/requestApproval")
    record FileApproval(@Nullable String itemId, @Nullable String reason) implements CodexRequest {
        @Override
        public String ruled() {
            return EDIT;
        }
    }

    @Name("item/permissions/requestApproval")
    record PermissionsApproval(
            @Nullable String itemId,
            @Nullable JsonObject permissions,
            @Nullable String reason) implements CodexRequest {}

    /** An approval request of Codex versions without items. */
    @Name("execCommandApproval")
    record ExecApproval(@Nullable Object command, @Nullable String reason) implements CodexRequest {
        @Override
        public String ruled() {
            return SHELL;
        }
    }

    /** An approval request of Codex versions without items. */
    @Name("applyPatchApproval")
    record PatchApproval(
            @Nullable JsonObject fileChanges, @Nullable String reason) implements CodexRequest {
        @Override
        public String ruled() {
            return EDIT;
        }
    }

    /** A question to a person. */
    sealed interface Form extends CodexRequest {}

    @Name("item/tool/requestUserInput")
    record UserInput(@Nullable String itemId, List<Asked> questions) implements Form {}

    /** @param isOther whether an answer in other words is possible */
    @CamelCase
    @Foreign
    record Asked(
            @Default("") String id,
            @Nullable String header,
            @Default("") String question,
            List<Choice> options,
            boolean isOther,
            boolean isSecret) {}

    /** @param mode {@code form}, or {@code url} for a page to open */
    @Name("mcpServer/elicitation/request")
    record Elicitation(
            @Nullable String serverName,
            @Nullable String mode,
            @Default("") String message,
            Schema requestedSchema) implements Form {}

    @Foreign
    record Schema(Map<String, Property> properties) {}

    /** A field of a form. */
    @CamelCase
    @Foreign
    record Property(
            @Default("") String type,
            @Name("enum") List<String> values,
            @Nullable Object oneOf) {
        boolean hasTitledValues() {
            return oneOf != null;
        }
    }
}
