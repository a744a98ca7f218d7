package brig.gateway.session;

import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.Spawner;
import brig.gateway.time.Timers;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends spawns whose lease expires: their request limits how long they survive without a connected captain. A killed
 * captain sends nothing, but its connections close. A lease only runs while no captain is connected, so it is not
 * stored: after a restart of the gateway the full time begins again. Owned by the event loop.
 *
 * <p>Decision 0085.
 */
final class CaptainLeases {
    private static final Logger log = LoggerFactory.getLogger(CaptainLeases.class);

    private final Timers timers;
    private final Sessions.Terminator terminator;
    /** By spawn_id, the timers of spawns without a connected captain. */
    private final Map<String, Timers.Timer> expiring = new HashMap<>();

    private boolean closed;

    CaptainLeases(Timers timers, Sessions.Terminator terminator) {
        this.timers = timers;
        this.terminator = terminator;
    }

    /** A captain is connected: stops the timer. */
    void hold(Spawn spawn) {
        Timers.Timer expiry = expiring.remove(spawn.spawnId());
        if (expiry != null) {
            expiry.cancel();
        }
    }

    /** No captain is connected: starts the timer. */
    void release(Spawn spawn) {
        hold(spawn);
        if (spawn.leaseMs() > 0 && !spawn.state().isFinal() && !closed) {
            expiring.put(spawn.spawnId(), timers.after(spawn.leaseMs(), () -> handleExpired(spawn)));
        }
    }

    private void handleExpired(Spawn spawn) {
        expiring.remove(spawn.spawnId());
        if (spawn.state().isFinal()) {
            return;
        }
        log.atInfo().addKeyValue("spawn_id", spawn.spawnId()).log("no captain for {} ms: ending it", spawn.leaseMs());
        terminator.terminate(spawn, "captain_gone", Spawner.ITSELF).exceptionally(failure -> {
            log.atWarn().addKeyValue("spawn_id", spawn.spawnId()).log("could not be ended: {}", failure.getMessage());
            release(spawn);
            return null;
        });
    }

    /** Stops all leases from expiring. */
    void close() {
        closed = true;
        expiring.values().forEach(Timers.Timer::cancel);
        expiring.clear();
    }
}
