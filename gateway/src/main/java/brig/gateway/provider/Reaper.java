package brig.gateway.provider;

import brig.gateway.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Judges the sandboxes that a provider shows under the prefix of this gateway: which are to go. One that no record knows may
 * be of a gateway whose state was restored from a backup, so it goes only after it was seen twice.
 *
 * <p>Owned by the event loop. Decision 0217.
 */
final class Reaper {
    private static final Logger log = LoggerFactory.getLogger(Reaper.class);

    /** What the record says of a session. */
    enum Known {
        /** It needs its sandbox. */
        LIVE,
        /** It has ended, and what is to be kept of it is home. */
        ENDED,
        /** No session of that id is recorded. */
        UNKNOWN
    }

    /** The record. */
    @FunctionalInterface
    interface Ledger {
        Known of(String spawnId);
    }

    private final String gatewayId;
    private final Ledger ledger;
    private final Clock clock;
    /** When an unknown sandbox was first seen. */
    private final Map<String, Long> strangers = new HashMap<>();

    Reaper(String gatewayId, Ledger ledger, Clock clock) {
        this.gatewayId = gatewayId;
        this.ledger = ledger;
        this.clock = clock;
    }

    /** Those of a listing that are to be destroyed. Others' sandboxes are never among them, whatever is listed. */
    List<Sandbox> judge(String provider, List<Sandbox> shown) {
        List<Sandbox> doomed = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Sandbox one : shown) {
            if (one.state() == Sandbox.State.GONE || !names.add(one.name())) {
                continue;
            }
            SandboxName.read(gatewayId, one.name()).ifPresent(name -> {
                if (isDoomed(provider, one, name)) {
                    doomed.add(one);
                }
            });
        }
        strangers
                .keySet()
                .removeIf(
                        key -> key.startsWith(provider + "/") && !names.contains(key.substring(provider.length() + 1)));
        return doomed;
    }

    private boolean isDoomed(String provider, Sandbox sandbox, SandboxName name) {
        return switch (ledger.of(name.spawnId())) {
            case LIVE -> false;
            case ENDED -> true;
            case UNKNOWN -> {
                Long first = strangers.putIfAbsent(provider + "/" + sandbox.name(), clock.nowMs());
                if (first == null) {
                    log.warn(
                            "provider {} has the sandbox {} of this gateway, which no record knows; if it is still there in"
                                    + " the next round it is destroyed",
                            provider,
                            sandbox.name());
                }
                yield first != null;
            }
        };
    }
}
