package brig.gateway.cluster;

import brig.gateway.cluster.SharedRecorders.Start;
import brig.gateway.spawn.SharedSpawns;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.Spawner;
import brig.gateway.time.Timers;
import brig.gateway.worker.ControlLink;
import brig.gateway.worker.LinkedAgent;
import brig.gateway.worker.WorkerAgents;
import brig.protocol.BrigException;
import brig.protocol.Reason;
import brig.protocol.api.ClusterView.Part;
import brig.protocol.control.ControlRequest;
import brig.protocol.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One host that gateways share, as this gateway sees it. It follows what the owner writes; or it takes the host over, or
 * owns it: then its is the only link to the worker-agent.
 *
 * <p>To take over: all that is known of spawns is read, each live spawn gets a fence, all up to the last fence is read, and
 * then the worker-agent is dialled, with the term as the epoch of the link. From the first fence on nobody else writes frames of
 * that spawn; from the first line of the link on nobody else gets any.
 *
 * <p>Owned by the event loop.
 */
final class SharedHost implements Tenure.Listener {
    /** Opens the link to the worker-agent of this host. */
    @FunctionalInterface
    interface Links {
        LinkedAgent open(long epoch, ControlLink.Listener listener);
    }

    /** What a host works with. */
    record Services(
            SharedLog shared,
            Directory directory,
            SharedRecorders recorders,
            WorkerAgents workers,
            Owners owners,
            Spawner spawner,
            SharedSpawns.Way way,
            Timers timers) {}

    private static final Logger logger = LoggerFactory.getLogger(SharedHost.class);
    private static final long RETRY_MS = 500;
    private static final long TELL_AGAIN_MS = 5_000;

    private final String name;
    private final Services services;
    private final HostFeed feed;
    private final Links links;
    private final Map<String, Start> starts = new HashMap<>();
    private Part part = Part.FOLLOWING;
    private long term;
    private @Nullable LinkedAgent link;
    private boolean up;

    SharedHost(String name, Services services, HostFeed feed, Links links) {
        this.name = name;
        this.services = services;
        this.feed = feed;
        this.links = links;
    }

    void open() {
        follow();
    }

    /** What this gateway does with it. */
    Part part() {
        return part;
    }

    /** Whether its worker-agent answers this gateway. */
    boolean isUp() {
        return up;
    }

    /** Where frames of that spawn go on; null if this gateway does not own the host. */
    @Nullable
    Start start(String spawnId) {
        return part == Part.OWNING ? starts.getOrDefault(spawnId, new Start(term, 0, 1)) : null;
    }

    HostFeed feed() {
        return feed;
    }

    private void follow() {
        part = Part.FOLLOWING;
        services.workers().add(name, new OwnerAgent(name, services.owners(), this::ownerName));
        services.spawner().shared().mirror(name, services.way());
        feed.open();
    }

    private String ownerName() {
        return services.owners().nameOf(name);
    }

    @Override
    public void handleTaken(long newTerm) {
        part = Part.TAKING;
        term = newTerm;
        take(newTerm);
    }

    private void take(long itsTerm) {
        services.directory()
                .settled()
                .thenCompose(told -> fence(itsTerm))
                .thenCompose(feed::reached)
                .whenComplete((read, failure) -> {
                    if (part != Part.TAKING || term != itsTerm) {
                        return;
                    }
                    if (failure == null) {
                        own();
                    } else {
                        logger.warn(
                                "host {} is not taken over yet: {}",
                                name,
                                Reason.cause(failure).toString());
                        services.timers().after(RETRY_MS, () -> {
                            if (part == Part.TAKING && term == itsTerm) {
                                take(itsTerm);
                            }
                        });
                    }
                });
    }

    /** @return the position of the last fence */
    private CompletionStage<Long> fence(long itsTerm) {
        List<CompletableFuture<Long>> fences = Stream.concat(
                        services.spawner().shared().on(name).stream().map(Spawn::spawnId),
                        services.recorders().tails(name).stream())
                .map(spawnId -> fence(spawnId, itsTerm).toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(fences.toArray(CompletableFuture<?>[]::new))
                .thenApply(all ->
                        fences.stream().mapToLong(CompletableFuture::join).max().orElse(0));
    }

    private CompletionStage<Long> fence(String spawnId, long itsTerm) {
        return services.shared().last(name, spawnId).thenCompose(last -> {
            long lastTerm = last.map(placed -> placed.run().term()).orElse(0L);
            if (lastTerm > itsTerm) {
                throw new StaleException("an owner of term " + lastTerm + " writes " + spawnId);
            }
            long lastSeq = last.map(placed -> placed.run().lastSeq()).orElse(0L);
            long position = last.map(SharedLog.Placed::position).orElse(0L);
            return services.shared()
                    .append(name, Run.fence(spawnId, itsTerm, lastSeq), position)
                    .thenApply(fenced -> {
                        starts.put(spawnId, new Start(itsTerm, fenced, lastSeq + 1));
                        return fenced;
                    });
        });
    }

    private void own() {
        part = Part.OWNING;
        feed.close();
        services.recorders().publish(name);
        LinkedAgent opened = links.open(term, new Ups());
        link = opened;
        services.workers().add(name, opened);
        tellAgain(term);
    }

    /** What could not be told when a spawn ended is told now. */
    private void tellAgain(long itsTerm) {
        if (part == Part.OWNING && term == itsTerm) {
            SharedSpawns spawns = services.spawner().shared();
            services.directory().unended(name).stream()
                    .flatMap(spawnId -> spawns.find(spawnId).stream())
                    .filter(spawn ->
                            spawn.state().isFinal() && !services.recorders().isOpen(spawn.log()))
                    .forEach(spawns::tell);
            services.timers().after(TELL_AGAIN_MS, () -> tellAgain(itsTerm));
        }
    }

    /** What the link tells; a link that was closed tells nothing more. */
    private final class Ups implements ControlLink.Listener {
        private boolean isDown = false;

        @Override
        public void handleUp(String instance) {
            logger.info("worker-agent on host {} is up instance={} term={}", name, instance, term);
            up = true;
            isDown = false;
            services.spawner().reconcile(name).whenComplete((done, failure) -> {
                if (failure != null) {
                    logger.error("cannot adopt the workers on host {}: {}", name, failure.getMessage());
                }
            });
        }

        @Override
        public void handleDown() {
            up = false;
            if (!isDown && part == Part.OWNING) {
                isDown = true;
                services.spawner().handleDown(name);
            }
        }

        @Override
        public void handleUntrusted(BrigException why) {
            logger.error("{}", why.getMessage());
        }

        @Override
        public void handleRecordLost(BrigException why) {
            logger.error("the worker-agent on host {} could not write to its disk: {}", name, why.getMessage());
        }
    }

    @Override
    public void handleLost() {
        Part before = part;
        part = Part.FOLLOWING;
        up = false;
        starts.clear();
        if (before == Part.OWNING) {
            services.recorders().unpublish(name);
            if (link != null) {
                link.close();
                link = null;
            }
            follow();
        }
    }

    /** Asks the worker-agent for another gateway; empty if this gateway does not own the host. */
    Optional<CompletionStage<JsonObject>> pass(ControlRequest request) {
        return Optional.ofNullable(link).filter(one -> part == Part.OWNING).map(one -> one.pass(request));
    }

    /** The live spawn of that name, if this gateway owns the host. */
    Optional<Spawn> owned(String spawnId) {
        return part == Part.OWNING ? services.spawner().shared().find(spawnId) : Optional.empty();
    }
}
