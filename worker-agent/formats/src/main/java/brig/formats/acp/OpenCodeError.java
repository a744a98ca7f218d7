package brig.formats.acp;

import brig.protocol.record.CamelCase;
import brig.protocol.record.Default;
import brig.protocol.record.Foreign;
import org.jspecify.annotations.Nullable;

/** The error of a failed OpenCode message. */
@Foreign
record OpenCodeError(@Default("unknown") String name, Data data) {
    /** @param statusCode the HTTP status of the model's answer */
    @Foreign
    @CamelCase
    record Data(@Nullable String message, @Nullable Long statusCode) {}
}
