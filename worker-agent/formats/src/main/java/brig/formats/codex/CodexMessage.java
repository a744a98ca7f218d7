package brig.formats.codex;

import brig.protocol.record.Flat;
import brig.protocol.record.Foreign;
import brig.protocol.record.Name;
import org.jspecify.annotations.Nullable;

/**
 * A message of Codex's app-server.
 *
 * @param id of a request or an answer, a number or a text
 * @param method null for an answer
 * @param told null where it is no notification that is known
 * @param asked null where it is no request that is known
 */
@Foreign
record CodexMessage(
        @Nullable Object id,
        @Nullable String method,
        Place params,
        @Flat @Nullable CodexNotification told,
        @Flat @Nullable CodexRequest asked) {
    /** Which thread a message is about, whatever else it says. */
    @Foreign
    record Place(@Name("threadId") @Nullable String threadId) {}
}
