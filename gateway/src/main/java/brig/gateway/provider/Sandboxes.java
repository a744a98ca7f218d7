package brig.gateway.provider;

import brig.gateway.time.Timers;
import brig.gateway.worker.Reach;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.LinkToken;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sandboxes of this gateway's sessions, of all providers: made when a session begins, linked to while it lives, gone
 * when it has ended. The record of sessions is the ledger: a session is on disk before its provider is asked, so whatever
 * becomes of an answer or of this process, what a provider shows can be judged by it.
 *
 * <p>Owned by the event loop. Decision 0217.
 */
public final class Sandboxes {
    private static final Logger log = LoggerFactory.getLogger(Sandboxes.class);

    /** How often what providers show is compared with the record. */
    public static final long ROUND_MS = 60_000;
    /** How long a session may take to end when its sandbox's time is over. */
    static final long OVERDUE_MS = 120_000;

    /**
     * A provider of the settings.
     *
     * @param lifeMaxMs after which a sandbox is gone, whatever its session does
     * @param sandboxesMax of this gateway at once; 0 for no limit
     * @param closed whether the sandboxes' own network is closed, as theirs is served at home
     * @param dollarsPerHour what one costs; 0 if nobody said
     */
    public record Offer(
            String name, Provider provider, long lifeMaxMs, int sandboxesMax, boolean closed, double dollarsPerHour) {}

    /**
     * A session as the record has it.
     *
     * @param provider its name
     * @param live whether it needs its sandbox
     */
    public record Entry(String spawnId, String provider, boolean live, long createdMs) {}

    /** The record of sessions. */
    public interface Ledger {
        /** Null if there is none of that id. */
        @Nullable
        Entry find(String spawnId);

        /** Those that need their sandboxes. */
        List<Entry> live();
    }

    /** Who is told. Hosts are named as {@link #hostOf}. */
    public interface Listener {
        /** A session has its worker-agent from now on, whether or not it can be reached. */
        void handleKnown(String host, String provider, WorkerAgent agent, Path socket, Reach reach);

        void handleForgotten(String host, Path socket);

        void handleUp(String host, String instance);

        /** It is out of reach; the agent in it may go on. */
        void handleDown(String host);

        /** Its sandbox is gone, and all in it. */
        void handleGone(String spawnId, String why);

        /** Its sandbox has been there for as long as one may. */
        void handleOverdue(String spawnId);
    }

    /**
     * What the sandboxes are made with.
     *
     * @param folder of the near ends of links
     * @param keys the key of a sandbox's link, by the sandbox's name
     */
    public record Services(
            SandboxLink.Services links, String gatewayId, Path folder, Function<String, String> keys, Ledger ledger) {
        private Provisioning.Services provisioning() {
            return new Provisioning.Services(links.timers(), links.clock(), links.jitter());
        }
    }

    /**
     * A sandbox that a provider shows, for people.
     *
     * @param spawnId null if it is none of this gateway's
     * @param state of the sandbox
     * @param isDue whether it is to be gone
     * @param isForeign whether it is none of this gateway's
     * @param trouble why it is still there, or not in reach; empty for nothing
     */
    public record Shown(
            String name,
            String provider,
            @Nullable String spawnId,
            Sandbox.State state,
            long createdMs,
            double dollarsPerHour,
            boolean isDue,
            boolean isForeign,
            String trouble) {}

    /**
     * What all providers show.
     *
     * @param unanswered the names of those that could not be asked, and of which this is what they showed last
     */
    public record Showing(List<Shown> sandboxes, List<String> unanswered) {}

    private final Services services;
    private final Map<String, Offer> offers = new TreeMap<>();
    private final Map<String, Reaper> reapers = new HashMap<>();
    /** By spawn_id. */
    private final Map<String, SandboxLink> links = new HashMap<>();

    /** Spawns whose sandboxes are being made. */
    private final Set<String> making = new HashSet<>();

    /** What each provider showed last. */
    private final Map<String, List<Sandbox>> shown = new HashMap<>();

    /** Why a provider or a sandbox could not be dealt with, by its name. */
    private final Map<String, String> troubles = new HashMap<>();

    private Listener listener = new Nobody();
    private Timers.@Nullable Timer round;

    public Sandboxes(Services services, List<Offer> offers) {
        this.services = services;
        offers.forEach(offer -> {
            this.offers.put(offer.name(), offer);
            reapers.put(
                    offer.name(),
                    new Reaper(
                            services.gatewayId(),
                            spawnId -> known(offer.name(), spawnId),
                            services.links().clock()));
        });
    }

    private Reaper.Known known(String provider, String spawnId) {
        Entry entry = services.ledger().find(spawnId);
        if (entry == null || !entry.provider().equals(provider)) {
            return Reaper.Known.UNKNOWN;
        }
        return entry.live() ? Reaper.Known.LIVE : Reaper.Known.ENDED;
    }

    /** What a session's host is called. */
    public static String hostOf(String spawnId) {
        return SandboxName.host(spawnId);
    }

    /** Looks for the sandboxes of an earlier gateway's sessions, and begins to see to it that there are no others. */
    public void open(Listener newListener) {
        listener = newListener;
        for (Entry entry : services.ledger().live()) {
            Offer offer = offers.get(entry.provider());
            if (offer != null) {
                link(offer, entry.spawnId()).adopt();
            }
        }
        if (!offers.isEmpty()) {
            round = services.links().timers().after(AT_START_MS, this::goRound);
        }
    }

    private static final long AT_START_MS = 1_000;

    public boolean has(String provider) {
        return offers.containsKey(provider);
    }

    /** The names of all providers. */
    public List<String> names() {
        return List.copyOf(offers.keySet());
    }

    /** @throws BrigException {@code INVALID_FIELD} if there is no such provider, {@code MAX_WORKERS} */
    public void require(String provider) {
        Offer offer = offers.get(provider);
        if (offer == null) {
            throw BrigException.invalid(
                    "provider",
                    "is not a provider of this gateway: there is "
                            + String.join(", ", joined("local", offers.keySet()))
                            + ". 'providers' of brig.json adds one: see docs/providers.md");
        }
        long live = services.ledger().live().stream()
                .filter(entry -> entry.provider().equals(provider))
                .count();
        if (offer.sandboxesMax() > 0 && live >= offer.sandboxesMax()) {
            throw new BrigException(ErrorCode.MAX_WORKERS, "sandboxesMax of provider " + provider + " is reached", 5);
        }
    }

    private static List<String> joined(String first, Set<String> others) {
        List<String> all = new ArrayList<>(List.of(first));
        all.addAll(others);
        return all;
    }

    /**
     * Makes a session's sandbox, and starts a worker-agent in it. The session is on disk.
     *
     * @param doubt is told whether it is unknown that the sandbox was made
     * @return completes when the worker-agent answers
     */
    public CompletionStage<Void> provide(
            String spawnId,
            String provider,
            @Nullable String requestId,
            BooleanSupplier unwanted,
            Consumer<Boolean> doubt) {
        Offer offer = offers.get(provider);
        if (offer == null) {
            return CompletableFuture.failedFuture(
                    BrigException.invalid("provider", "is not a provider of this gateway any more"));
        }
        SandboxName name = new SandboxName(services.gatewayId(), spawnId);
        Provider.Order order =
                new Provider.Order(name.toString(), name.labels(requestId), offer.lifeMaxMs(), offer.closed());
        making.add(spawnId);
        return new Provisioning(
                        offer.provider(),
                        provider,
                        order,
                        services.provisioning(),
                        new Provisioning.Waiter(unwanted, doubt))
                .begin()
                .thenCompose(sandbox -> link(offer, spawnId).prepare(sandbox))
                .whenComplete((ready, failure) -> making.remove(spawnId));
    }

    private SandboxLink link(Offer offer, String spawnId) {
        SandboxName name = new SandboxName(services.gatewayId(), spawnId);
        String host = hostOf(spawnId);
        Path socket = socket(spawnId);
        SandboxLink link = new SandboxLink(
                offer.provider(),
                name.toString(),
                new SandboxLink.Identity(
                        new LinkToken(services.gatewayId(), spawnId),
                        socket,
                        services.keys().apply(name.toString())),
                services.links(),
                new Told(host, spawnId));
        links.put(spawnId, link);
        listener.handleKnown(host, offer.name(), link.agent(), socket, link);
        return link;
    }

    private Path socket(String spawnId) {
        return services.folder().resolve(hostOf(spawnId) + ".sock");
    }

    private final class Told implements SandboxLink.Listener {
        private final String host;
        private final String spawnId;

        Told(String host, String spawnId) {
            this.host = host;
            this.spawnId = spawnId;
        }

        @Override
        public void handleUp(String instance) {
            listener.handleUp(host, instance);
        }

        @Override
        public void handleDown() {
            listener.handleDown(host);
        }

        @Override
        public void handleGone(String why) {
            listener.handleGone(spawnId, why);
        }
    }

    /** Stops what runs in a session's sandbox, and what that costs. The session is out of reach until {@link #resume}. */
    public CompletionStage<Void> pause(String spawnId) {
        return change(spawnId, Provider::pause).thenAccept(SandboxLink::handlePaused);
    }

    /** Lets it go on; it is in reach a moment later. */
    public CompletionStage<Void> resume(String spawnId) {
        return change(spawnId, Provider::resume).thenAccept(SandboxLink::handleResumed);
    }

    /** Whether connections to a session's sandbox are made, or wait for less than a moment. */
    public boolean isUp(String spawnId) {
        SandboxLink link = links.get(spawnId);
        return link != null && link.isUp();
    }

    /** Lets a sandbox go on if it is known to be paused. */
    public CompletionStage<Void> wake(String spawnId) {
        SandboxLink link = links.get(spawnId);
        return link != null && link.isPaused() ? resume(spawnId) : CompletableFuture.completedFuture(null);
    }

    private CompletionStage<SandboxLink> change(
            String spawnId, BiFunction<Provider, Sandbox, CompletionStage<Void>> how) {
        Entry entry = services.ledger().find(spawnId);
        Offer offer = entry == null ? null : offers.get(entry.provider());
        if (offer == null) {
            throw BrigException.invalid(
                    "id", "names a session without a sandbox: only a provider of sandboxes can pause");
        }
        if (!offer.provider().capabilities().pause()) {
            throw new BrigException(
                    ErrorCode.PROVIDER_REFUSED,
                    "provider " + offer.name() + " lacks the capability 'pause': it has no call that stops a sandbox");
        }
        SandboxLink link = links.get(spawnId);
        Sandbox sandbox = link == null ? null : link.sandbox();
        if (link == null || sandbox == null || making.contains(spawnId)) {
            throw new BrigException(ErrorCode.SESSION_NOT_READY, "its sandbox is being made or looked for", 5);
        }
        return how.apply(offer.provider(), sandbox)
                .exceptionallyCompose(failure -> CompletableFuture.failedStage(
                        ProviderFailure.of(failure).toException(offer.name())))
                .thenApply(done -> link);
    }

    /** Of a session that has ended, and of which nothing more is needed from there. */
    public CompletionStage<Void> end(String spawnId) {
        SandboxLink link = links.remove(spawnId);
        if (link != null) {
            link.close();
            listener.handleForgotten(hostOf(spawnId), socket(spawnId));
        }
        Entry entry = services.ledger().find(spawnId);
        Offer offer = entry == null ? null : offers.get(entry.provider());
        if (offer == null) {
            return CompletableFuture.completedFuture(null);
        }
        String name = new SandboxName(services.gatewayId(), spawnId).toString();
        Sandbox known = link == null ? null : link.sandbox();
        CompletionStage<@Nullable Sandbox> found = known != null
                ? CompletableFuture.completedFuture(known)
                : offer.provider().find(name);
        return found.thenCompose(
                sandbox -> sandbox == null ? CompletableFuture.completedFuture(null) : destroy(offer, sandbox));
    }

    private CompletionStage<Void> destroy(Offer offer, Sandbox sandbox) {
        return offer.provider().destroy(sandbox).whenComplete((gone, failure) -> {
            if (failure == null) {
                troubles.remove(sandbox.name());
                log.info("the sandbox {} of provider {} is gone", sandbox.name(), offer.name());
            } else {
                String why = String.valueOf(ProviderFailure.of(failure).getMessage());
                troubles.put(sandbox.name(), why);
                log.warn("the sandbox {} of provider {} may still be there: {}", sandbox.name(), offer.name(), why);
            }
        });
    }

    private void goRound() {
        round = services.links().timers().after(ROUND_MS, this::goRound);
        offers.values().forEach(this::look);
        long nowMs = services.links().clock().nowMs();
        for (Entry entry : services.ledger().live()) {
            Offer offer = offers.get(entry.provider());
            if (offer != null && nowMs - entry.createdMs() > offer.lifeMaxMs()) {
                listener.handleOverdue(entry.spawnId());
                if (nowMs - entry.createdMs() > offer.lifeMaxMs() + OVERDUE_MS) {
                    endOverdue(offer, entry);
                }
            }
        }
    }

    /** Its session does not end: the sandbox goes without it. */
    private void endOverdue(Offer offer, Entry entry) {
        SandboxLink link = links.get(entry.spawnId());
        Sandbox sandbox = link == null ? null : link.sandbox();
        if (sandbox != null) {
            destroy(offer, sandbox).whenComplete((gone, failure) -> {
                if (failure == null) {
                    listener.handleGone(entry.spawnId(), "its sandbox was there for as long as one may");
                }
            });
        }
    }

    private void look(Offer offer) {
        offer.provider().list(SandboxName.prefix(services.gatewayId())).whenComplete((listed, failure) -> {
            if (failure != null) {
                String why = String.valueOf(ProviderFailure.of(failure).getMessage());
                if (!why.equals(troubles.put(offer.name(), why))) {
                    log.warn("provider {} does not show its sandboxes: {}", offer.name(), why);
                }
                return;
            }
            troubles.remove(offer.name());
            shown.put(offer.name(), List.copyOf(listed));
            Reaper reaper = reapers.get(offer.name());
            if (reaper != null) {
                reaper.judge(offer.name(), listed).forEach(sandbox -> destroy(offer, sandbox));
            }
        });
    }

    /**
     * What providers show now.
     *
     * @param all also what is none of this gateway's
     */
    public CompletionStage<Showing> show(boolean all) {
        List<CompletableFuture<Showing>> asked = offers.values().stream()
                .map(offer -> offer.provider()
                        .list(all ? "" : SandboxName.prefix(services.gatewayId()))
                        .handle((listed, failure) -> failure == null
                                ? new Showing(show(offer, listed, all), List.of())
                                : new Showing(
                                        show(offer, shown.getOrDefault(offer.name(), List.of()), all),
                                        List.of(offer.name())))
                        .toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> new Showing(
                        asked.stream()
                                .flatMap(one -> one.join().sandboxes().stream())
                                .toList(),
                        asked.stream()
                                .flatMap(one -> one.join().unanswered().stream())
                                .toList()));
    }

    private List<Shown> show(Offer offer, List<Sandbox> listed, boolean all) {
        return listed.stream()
                .filter(one -> one.state() != Sandbox.State.GONE)
                .filter(one -> all
                        || SandboxName.read(services.gatewayId(), one.name()).isPresent())
                .map(one -> show(offer, one))
                .toList();
    }

    private Shown show(Offer offer, Sandbox one) {
        Optional<SandboxName> ours = SandboxName.read(services.gatewayId(), one.name());
        String spawnId = ours.map(SandboxName::spawnId)
                .filter(id -> known(offer.name(), id) != Reaper.Known.UNKNOWN)
                .orElse(null);
        boolean live = spawnId != null && known(offer.name(), spawnId) == Reaper.Known.LIVE;
        SandboxLink link = spawnId == null ? null : links.get(spawnId);
        return new Shown(
                one.name(),
                offer.name(),
                spawnId,
                one.state(),
                one.createdMs(),
                ours.isPresent() ? offer.dollarsPerHour() : 0,
                ours.isPresent() && !live,
                ours.isEmpty(),
                link == null ? troubles.getOrDefault(one.name(), "") : link.trouble());
    }

    /** Ends all links. The sandboxes stay, and what runs in them. */
    public void close() {
        listener = new Nobody();
        if (round != null) {
            round.cancel();
        }
        links.values().forEach(SandboxLink::close);
        links.clear();
        offers.values().forEach(offer -> offer.provider().close());
    }

    /** Before {@link #open} and after {@link #close}. */
    private static final class Nobody implements Listener {
        @Override
        public void handleKnown(String host, String provider, WorkerAgent agent, Path socket, Reach reach) {}

        @Override
        public void handleForgotten(String host, Path socket) {}

        @Override
        public void handleUp(String host, String instance) {}

        @Override
        public void handleDown(String host) {}

        @Override
        public void handleGone(String spawnId, String why) {}

        @Override
        public void handleOverdue(String spawnId) {}
    }
}
