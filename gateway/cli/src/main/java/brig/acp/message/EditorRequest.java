package brig.acp.message;

import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.Name;
import brig.protocol.record.NotEmpty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request of the editor; each is answered once. */
@CamelCase
@Extensible
public sealed interface EditorRequest {
    /**
     * {@code initialize}, the first request.
     *
     * @param clientCapabilities null if absent
     */
    record Initialize(@Nullable ClientCapabilities clientCapabilities) implements EditorRequest {
        public static final String METHOD = "initialize";

        /** Whether the editor wants complete frames, in {@code _brig/frame}. */
        public boolean wantsFrames() {
            return clientCapabilities != null
                    && clientCapabilities.meta() != null
                    && clientCapabilities.meta().frames();
        }
    }

    /** The capabilities of an editor that concern Brig. */
    @CamelCase
    @Extensible
    record ClientCapabilities(@Name("_meta") @Nullable EditorMeta meta) {}

    /** {@code session/new}. */
    record NewSession(@Flat SessionFolder folder) implements EditorRequest {}

    /** {@code session/load}: an existing session with its history. */
    record LoadSession(@Flat SessionFolder folder, @NotEmpty String sessionId) implements EditorRequest {}

    /** {@code session/resume}: an existing session from now on. */
    record ResumeSession(
            @Flat SessionFolder folder, @NotEmpty String sessionId) implements EditorRequest {}

    /**
     * {@code session/list}.
     *
     * @param cwd only sessions of that folder; null for all
     * @param cursor from the previous page; null for the first
     */
    record ListSessions(@Nullable String cwd, @Nullable String cursor) implements EditorRequest {}

    /** {@code session/prompt}, answered at the end of its turn. */
    record Prompt(
            @NotEmpty String sessionId,
            List<ContentBlock> prompt,
            @Name("_meta") @Nullable EditorMeta meta) implements EditorRequest {
        /** Whether it takes control of the session. */
        public boolean takesControl() {
            return meta != null && meta.takeControl();
        }
    }

    /** {@code session/close}. */
    record CloseSession(@NotEmpty String sessionId) implements EditorRequest {}

    /**
     * The request of that method; null for an unknown method.
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
