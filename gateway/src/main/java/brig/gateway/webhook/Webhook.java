package brig.gateway.webhook;

import brig.gateway.spawn.AskListener;
import brig.gateway.spawn.Spawn;
import brig.gateway.telemetry.Counters;
import brig.gateway.time.Clock;
import brig.gateway.time.Timers;
import brig.protocol.frame.Frame;
import brig.protocol.json.Json;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a server of the operator about each new ask. A notice that the server does not take is sent again, with growing
 * pauses and while the ask is open. The server may be slow or down: few notices are on their way at once, the others
 * wait, and the oldest is dropped when too many do. Owned by the event loop.
 *
 * <p>Decision 0152.
 */
public final class Webhook implements AskListener {
    static final int ON_THE_WAY_MAX = 4;
    static final int TRIES_MAX = 5;
    /** Notices that are not delivered. When it is reached: the oldest is dropped. */
    static final int UNDELIVERED_MAX = 1_000;

    private static final long FIRST_PAUSE_MS = 1_000;
    private static final int SUCCESS = 2;
    private static final Logger log = LoggerFactory.getLogger(Webhook.class);

    /** Sends one notice to the server. */
    @FunctionalInterface
    public interface Post {
        /** @return completes on the event loop, soon, with the status of the answer */
        CompletionStage<Integer> send(byte[] body, String timestamp, String signature);
    }

    /** The parts that a test replaces, and the signer. */
    public record Services(Post post, NoticeSigner signer, Clock clock, Timers timers, Counters counters) {}

    /** A notice that is not delivered. */
    private static final class Undelivered {
        final AskNotice notice;
        int tries;
        Timers.@Nullable Timer pause;

        Undelivered(AskNotice notice) {
            this.notice = notice;
        }
    }

    private final Services parts;
    private final AnswerLinks links;
    private final String publicUrl;

    /** By ask_id, the oldest first. */
    private final Map<String, Undelivered> undelivered = new LinkedHashMap<>();

    private final ArrayDeque<Undelivered> due = new ArrayDeque<>();
    private int onTheWay;
    private boolean draining;
    /** Whether the log says that notices are dropped; until half of them are gone. */
    private boolean dropping;
    /** Whether the server took the last notice, so that each breakdown is one line of the log. */
    private boolean taken = true;

    /** @param publicUrl where people reach this gateway; empty for notices without a link */
    public Webhook(Services parts, AnswerLinks links, String publicUrl) {
        this.parts = parts;
        this.links = links;
        this.publicUrl = publicUrl;
    }

    @Override
    public void handleAsk(Spawn spawn, Frame.Ask ask) {
        String url = publicUrl.isEmpty() ? null : publicUrl + AnswerLinks.PATH + links.issue(spawn, ask);
        Undelivered added = new Undelivered(AskNotice.of(spawn, ask, url));
        undelivered.put(ask.askId(), added);
        due.add(added);
        if (undelivered.size() > UNDELIVERED_MAX) {
            drop(undelivered.keySet().iterator().next());
        } else if (undelivered.size() < UNDELIVERED_MAX / 2) {
            dropping = false;
        }
        drain();
    }

    private void drop(String askId) {
        forget(askId);
        parts.counters().handleNotice(Counters.Notice.DROPPED);
        if (!dropping) {
            dropping = true;
            log.warn("{} notices wait for asks.webhook.url: the oldest are dropped", UNDELIVERED_MAX);
        }
    }

    @Override
    public void handleSettled(Spawn spawn, Frame.Answered answered) {
        links.handleSettled(answered);
        forget(answered.askId());
    }

    private void forget(String askId) {
        Undelivered one = undelivered.remove(askId);
        if (one != null) {
            due.remove(one);
            if (one.pause != null) {
                one.pause.cancel();
            }
        }
    }

    /** Sends as many as may be on their way. */
    private void drain() {
        if (draining) {
            return;
        }
        draining = true;
        while (onTheWay < ON_THE_WAY_MAX && !due.isEmpty()) {
            send(due.remove());
        }
        draining = false;
    }

    private void send(Undelivered one) {
        onTheWay++;
        one.tries++;
        byte[] body = Json.write(one.notice);
        String timestamp = String.valueOf(parts.clock().nowMs() / 1000);
        parts.post().send(body, timestamp, parts.signer().sign(timestamp, body)).whenComplete((status, failure) -> {
            onTheWay--;
            handleSent(one, failure == null && status / 100 == SUCCESS, failure == null ? status : failure);
            drain();
        });
    }

    /** @param outcome the status, or the failure */
    private void handleSent(Undelivered one, boolean delivered, Object outcome) {
        if (!delivered && taken) {
            log.warn("asks.webhook.url does not take notices: {}", outcome);
        }
        taken = delivered;
        String askId = one.notice.ask().askId();
        if (undelivered.get(askId) != one) {
            return;
        }
        if (!delivered && one.tries < TRIES_MAX) {
            one.pause = parts.timers().after(FIRST_PAUSE_MS << (one.tries - 1), () -> {
                one.pause = null;
                due.add(one);
                drain();
            });
            return;
        }
        undelivered.remove(askId);
        parts.counters().handleNotice(delivered ? Counters.Notice.DELIVERED : Counters.Notice.FAILED);
        if (!delivered) {
            log.atWarn().addKeyValue("ask_id", askId).log("the notice was not taken in {} tries", TRIES_MAX);
        }
    }
}
