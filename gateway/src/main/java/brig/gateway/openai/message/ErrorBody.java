package brig.gateway.openai.message;

import brig.protocol.record.WriteNull;
import org.jspecify.annotations.Nullable;

/** What a client gets instead of an answer, and in the middle of one ("Error codes"). */
public record ErrorBody(Failure error) {
    /** @param param the field of the request that it is about, which the message names here */
    public record Failure(
            String message,
            String type,
            @WriteNull @Nullable String param,
            String code) {}
}
