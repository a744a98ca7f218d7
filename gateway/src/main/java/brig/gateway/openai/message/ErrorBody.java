package brig.gateway.openai.message;

import brig.protocol.record.WriteNull;
import org.jspecify.annotations.Nullable;

/** An error instead of an answer, or within one ("Error codes"). */
public record ErrorBody(Failure error) {
    /** @param param the field of the request concerned, which here the message names */
    public record Failure(
            String message,
            String type,
            @WriteNull @Nullable String param,
            String code) {}
}
