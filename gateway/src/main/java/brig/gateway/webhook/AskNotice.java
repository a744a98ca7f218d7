package brig.gateway.webhook;

import brig.gateway.spawn.Spawn;
import brig.protocol.frame.Frame;
import brig.protocol.record.Flat;
import org.jspecify.annotations.Nullable;

/**
 * The body of a notice: an ask, and where its session is found.
 *
 * @param profile the name of the session's agent
 * @param answerUrl a page that answers the ask once; null if the gateway has no public URL
 */
record AskNotice(
        String type,
        String spawnId,
        String taskId,
        String profile,
        @Flat(tagged = false) Frame.Ask ask,
        @Nullable String answerUrl) {
    static AskNotice of(Spawn spawn, Frame.Ask ask, @Nullable String answerUrl) {
        return new AskNotice("ask", spawn.spawnId(), spawn.taskId(), spawn.agent(), ask, answerUrl);
    }
}
