package brig.acp.message;

import brig.protocol.json.Fields;
import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.Name;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an editor asks for; each request is answered once. */
public sealed interface EditorRequest {
    /**
     * {@code initialize}, the first of all.
     *
     * @param clientCapabilities null where the editor names none
     */
    @CamelCase
    @Extensible
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
    @Extensible
    record NewSession(@Flat SessionFolder folder) implements EditorRequest {}

    /** {@code session/load}: a session that there is, with all that was said in it. */
    @CamelCase
    @Extensible
    record LoadSession(@Flat SessionFolder folder, String sessionId) implements EditorRequest {
        public LoadSession {
            requireText("sessionId", sessionId);
        }
    }

    /** {@code session/resume}: a session that there is, from now on. */
    @CamelCase
    @Extensible
    record ResumeSession(@Flat SessionFolder folder, String sessionId) implements EditorRequest {
        public ResumeSession {
            requireText("sessionId", sessionId);
        }
    }

    /**
     * {@code session/list}.
     *
     * @param cwd only sessions of that folder; null for all
     * @param cursor where the page begins, as the page before said; null for the first
     */
    @CamelCase
    @Extensible
    record ListSessions(@Nullable String cwd, @Nullable String cursor) implements EditorRequest {}

    /** {@code session/prompt}; it is answered when its turn is over. */
    @CamelCase
    @Extensible
    record Prompt(
            String sessionId,
            List<ContentBlock> prompt,
            @Name("_meta") @Nullable EditorMeta meta)
            implements EditorRequest {
        public Prompt {
            requireText("sessionId", sessionId);
        }

        /** Whether it takes the control of the session from whoever has it. */
        public boolean takesControl() {
            return meta != null && meta.takeControl();
        }
    }

    /** {@code session/close}. */
    @CamelCase
    @Extensible
    record CloseSession(String sessionId) implements EditorRequest {
        public CloseSession {
            requireText("sessionId", sessionId);
        }
    }

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

    /** @throws brig.protocol.BrigException where it is empty */
    static void requireText(String name, String value) {
        if (value.isEmpty()) {
            throw Fields.invalid(name, "is missing");
        }
    }
}
