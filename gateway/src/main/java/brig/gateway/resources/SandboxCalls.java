package brig.gateway.resources;

import brig.gateway.http.Caller;
import brig.gateway.provider.Sandboxes;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.Spawns;
import brig.gateway.time.Clock;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.SandboxView;
import brig.protocol.api.SpawnView;
import brig.protocol.api.SpawnerRequest;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;

/** Sandboxes of providers, and what they cost. */
public final class SandboxCalls {
    private static final double HOUR_MS = 3_600_000;

    private final Sandboxes sandboxes;
    private final Spawns spawns;
    private final Clock clock;

    public SandboxCalls(Sandboxes sandboxes, Spawns spawns, Clock clock) {
        this.sandboxes = sandboxes;
        this.spawns = spawns;
        this.clock = clock;
    }

    /** Captains see those of their own sessions. */
    public CompletionStage<SandboxView.SandboxList> list(Caller caller, SpawnerRequest.Sandboxes in) {
        boolean admin = caller.access().isAdmin();
        if (in.all() && !admin) {
            throw new BrigException(ErrorCode.FORBIDDEN, "only an admin sees what others have at a provider");
        }
        String captain = caller.access().captain();
        return sandboxes.show(in.all()).thenApply(shown -> {
            List<SandboxView> views = shown.sandboxes().stream()
                    .filter(one -> admin
                            || (one.spawnId() != null
                                    && spawns.known(one.spawnId())
                                            .map(Spawn::captain)
                                            .filter(captain::equals)
                                            .isPresent()))
                    .map(this::view)
                    .toList();
            return new SandboxView.SandboxList(views, admin ? shown.unanswered() : List.of());
        });
    }

    public CompletionStage<SpawnView> pause(Caller caller) {
        Spawn spawn = living(caller);
        return sandboxes.pause(spawn.spawnId()).thenApply(paused -> spawn.view());
    }

    public CompletionStage<SpawnView> resume(Caller caller) {
        Spawn spawn = living(caller);
        return sandboxes.resume(spawn.spawnId()).thenApply(resumed -> spawn.view());
    }

    private static Spawn living(Caller caller) {
        Spawn spawn = caller.session().spawn();
        if (spawn.state().isFinal()) {
            throw spawn.notReady();
        }
        return spawn;
    }

    private SandboxView view(Sandboxes.Shown one) {
        long createdMs = createdMs(one);
        long ageMs = createdMs == 0 ? 0 : Math.max(0, clock.nowMs() - createdMs);
        return new SandboxView(
                one.name(),
                one.provider(),
                one.spawnId(),
                one.state().name().toLowerCase(Locale.ROOT),
                createdMs,
                one.dollarsPerHour(),
                Math.round(ageMs / HOUR_MS * one.dollarsPerHour() * 10_000) / 10_000.0,
                one.isDue(),
                one.isForeign(),
                one.trouble().isEmpty() ? null : one.trouble(),
                one.isDue() && one.spawnId() != null ? "brig terminate " + one.spawnId() : null);
    }

    /** A session is a little older than its sandbox. */
    private long createdMs(Sandboxes.Shown one) {
        String spawnId = one.spawnId();
        return one.createdMs() > 0 || spawnId == null
                ? one.createdMs()
                : spawns.known(spawnId).map(Spawn::createdMs).orElse(0L);
    }
}
