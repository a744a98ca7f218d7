package brig.gateway.webhook;

import brig.gateway.spawn.Spawn;
import brig.gateway.time.Clock;
import brig.protocol.Ids;
import brig.protocol.frame.Frame;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One-time links, each of which answers one ask. Only hashes of their tokens are kept, in memory: a restart makes new
 * links for the asks that are still open. After its end, a link says for a while how the ask was settled. Owned by the
 * event loop.
 *
 * <p>Decision 0152.
 */
public final class AnswerLinks {
    /** The path before the token. */
    public static final String PATH = "/answer/";

    static final int LINKS_MAX = 10_000;
    /** How long after its deadline the link of a settled ask still says how it was settled. */
    static final long AFTERWARDS_MS = 3_600_000;

    /** A link. */
    public static final class Link {
        private final String workerId;
        private final String taskId;
        private final String profile;
        private final Frame.Ask ask;
        private @Nullable String end;

        private Link(Spawn spawn, Frame.Ask ask) {
            this.workerId = spawn.workerId();
            this.taskId = spawn.taskId();
            this.profile = spawn.agent();
            this.ask = ask;
        }

        public String workerId() {
            return workerId;
        }

        public String taskId() {
            return taskId;
        }

        /** The name of the session's agent. */
        public String profile() {
            return profile;
        }

        public Frame.Ask ask() {
            return ask;
        }

        /** A sentence that says how the ask was settled; null while it is open. */
        public @Nullable String end() {
            return end;
        }
    }

    private final Clock clock;
    /** By hash of the token, the oldest first. */
    private final LinkedHashMap<String, Link> byHash = new LinkedHashMap<>();

    private final Map<String, Link> byAsk = new HashMap<>();

    public AnswerLinks(Clock clock) {
        this.clock = clock;
    }

    /** Makes a link. @return its token, of 256 random bits, which is not kept */
    String issue(Spawn spawn, Frame.Ask ask) {
        long nowMs = clock.nowMs();
        while (byHash.size() >= LINKS_MAX || isForgotten(byHash.firstEntry(), nowMs)) {
            Link oldest = byHash.pollFirstEntry().getValue();
            byAsk.remove(oldest.ask.askId(), oldest);
        }
        String token = Ids.newToken();
        Link link = new Link(spawn, ask);
        byHash.put(Ids.hashToken(token), link);
        byAsk.put(ask.askId(), link);
        return token;
    }

    private static boolean isForgotten(Map.@Nullable Entry<String, Link> oldest, long nowMs) {
        return oldest != null && isForgotten(oldest.getValue(), nowMs);
    }

    private static boolean isForgotten(Link link, long nowMs) {
        return link.ask.deadline() + AFTERWARDS_MS <= nowMs;
    }

    /** The link with that token; null if there is none, whatever the cause. */
    public @Nullable Link find(String token) {
        Link link = byHash.get(Ids.hashToken(token));
        if (link == null || isForgotten(link, clock.nowMs())) {
            return null;
        }
        if (link.end == null && link.ask.deadline() <= clock.nowMs()) {
            link.end = "Its deadline has passed.";
        }
        return link;
    }

    void handleSettled(Frame.Answered answered) {
        Link link = byAsk.get(answered.askId());
        if (link != null) {
            link.end = sentence(link.ask, answered);
        }
    }

    private static String sentence(Frame.Ask ask, Frame.Answered answered) {
        return switch (answered.reason()) {
            case PERSON -> "Answered by " + answered.by() + " over " + answered.via() + ": " + given(ask, answered);
            case POLICY -> "A rule answered: " + given(ask, answered);
            case DEADLINE -> "Nobody answered in time: " + given(ask, answered);
            case WITHDRAWN -> "The agent no longer asks.";
            case ENDED -> "The agent ended, or its turn was cancelled.";
            case null -> "It is settled.";
        };
    }

    /** The name of the option. A text is not shown to whoever has the link. */
    private static String given(Frame.Ask ask, Frame.Answered answered) {
        return ask.nameOf(answered.option()).orElse("with a text");
    }
}
