package brig.acp.message;

import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.Name;
import brig.protocol.record.NotEmpty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an editor asks for; each request is answered once. */
@CamelCase
@Extensible
public sealed interface EditorRequest {
    /**
     * {@code initialize}, the first of all.
     *
     * @param clientCapabilities null where the editor names none
     */
    record Initialize(@Nullable ClientCapabilities clientCapabilities) implements EditorRequest {
        public static final String METHOD = "initialize";

        /** Whether the editor wants each frame as it is, in {@code _brig/frame}. */
        public boolean wantsFrames() {
            return clientCapabilities != null
                    && clientCapabilities.meta() != null
                    && clientCapabilities.meta().frames();
        }
    }

    /** What an editor can; only what concerns Brig. */
    @CamelCase
    @Extensible
    record ClientCapabilities(@Name("_meta") @Nullable EditorMeta meta) {}

    /** {@code session/new}. */
    record NewSession(@Flat SessionFolder folder) implements EditorRequest {}

    /** {@code session/load}: a session that there is, with all that was said in it. */
    record LoadSession(@Flat SessionFolder folder, @NotEmpty String sessionId) implements EditorRequest {}

    /** {@code session/resume}: a session that there is, from now on. */
    record ResumeSession(
            @Flat SessionFolder folder, @NotEmpty String sessionId) implements EditorRequest {}

    /**
     * {@code session/list}.
     *
     * @param cwd only sessions of that folder; null for all
     * @param cursor where the page begins, as the page before said; null for the first
     */
    record ListSessions(@Nullable String cwd, @Nullable String cursor) implements EditorRequest {}

    /** {@code session/prompt}; it is answered when its turn is over. */
    record Prompt(
            @NotEmpty String sessionId,
            List<ContentBlock> prompt,
            @Name("_meta") @Nullable EditorMeta meta) implements EditorRequest {
        /** Whether it takes the control of the session from whoever has it. */
        public boolean takesControl() {
            return meta != null && meta.takeControl();
        }
    }

    /** {@code session/close}. */
    record CloseSession(@NotEmpty String sessionId) implements EditorRequest {}

    /**
     * The request of that method; null where there is no such method.
     *
     * @throws brig.protocol.BrigException {@code INVALID_FIELD} naming the field
     */
    static @Nullable EditorRequest read(String method, JsonObject params) {
        return switch (method) {
            case Initialize.METHOD -> params.as(Initialize.class);
            case "session/new" -> params.as(NewSession.class);
            case "session/load" -> params.as(LoadSession.class);
            case "session/resume" -> params.as(ResumeSession.class);
            case "session/list" -> params.as(ListSessions.class);
            case "session/prompt" -> params.as(Prompt.class);
            case "session/close" -> params.as(CloseSession.class);
            default -> null;
        };
    }
}
