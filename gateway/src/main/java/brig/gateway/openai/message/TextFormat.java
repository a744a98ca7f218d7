package brig.gateway.openai.message;

import brig.protocol.record.Extensible;
import org.jspecify.annotations.Nullable;

/** The form that the words of an answer are to have. */
@Extensible
public record TextFormat(@Nullable String type) {
    /** Whether it is none. */
    public boolean isPlain() {
        return type == null || type.equals("text");
    }
}
