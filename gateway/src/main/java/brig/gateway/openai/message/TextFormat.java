package brig.gateway.openai.message;

import brig.protocol.record.Extensible;
import org.jspecify.annotations.Nullable;

/** The requested format of an answer's text. */
@Extensible
public record TextFormat(@Nullable String type) {
    /** Whether it is plain text. */
    public boolean isPlain() {
        return type == null || type.equals("text");
    }
}
