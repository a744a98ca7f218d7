package brig.formats.codex;

import brig.protocol.record.Flat;
import brig.protocol.record.Foreign;
import brig.protocol.record.Name;
import org.jspecify.annotations.Nullable;

/**
 * A message of Codex' app-server.
 *
 * @param id the id of a request or an answer, a number or a string
 * @param method null for an answer
 * @param told null unless it is a known notification
 * @param asked null unless it is a known request
 */
@Foreign
record CodexMessage(
        @Nullable Object id,
        @Nullable String method,
        Place params,
        @Flat @Nullable CodexNotification told,
        @Flat @Nullable CodexRequest asked) {
    /** The thread that a message concerns. */
    @Foreign
    record Place(@Name("threadId") @Nullable String threadId) {}
}
