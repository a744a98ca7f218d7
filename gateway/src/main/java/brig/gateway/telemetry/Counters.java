package brig.gateway.telemetry;

import brig.protocol.egress.EgressEvent;
import brig.protocol.frame.Frame;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counters for all streams and spawns together. Forgotten streams stay included, so no sum ever falls. Counters on the
 * frame path are plain numbers of the event loop, read by a scrape: one addition per read from a worker and one
 * per batch that a subscriber takes. All others are meters.
 *
 * <p>Labels come from a fixed set or are names of agent profiles, so clients and agents cannot create series.
 *
 * <p>Decisions 0095, 0096.
 */
public final class Counters {
    private static final double NANOS = 1e9;
    /** Labels of {@code egress} frames. */
    private static final List<String> EGRESS =
            List.of("blocked", "asked", "allowed", "tls_failed", "answered_allowed", "answered_denied");

    /** Labels of asks. */
    public static final List<String> ASK_KINDS =
            Arrays.stream(Frame.Ask.Kind.values()).map(Counters::label).toList();

    private final LongSupplier nanoTime;
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    long framesIn;
    long bytesIn;
    private final Map<Transport, TransportCounters> audiences = new EnumMap<>(Transport.class);
    private final Counter gapFrames = Counter.builder("brig.gap.frames")
            .description("Frames missing in these gaps.")
            .register(registry);
    private final Counter slowCloses = Counter.builder("brig.slow.closes")
            .description("Connections that were closed because they read too slowly.")
            .register(registry);
    int pausedNow;
    private long pausedNanos;
    private long pausedCountedNanos;

    private final Counter providerWait = Counter.builder("brig.provider.wait")
            .baseUnit("seconds")
            .description("Total time that requests of sessions waited because a model's provider limits their rate.")
            .register(registry);
    private final Counter untold = Counter.builder("brig.egress.untold")
            .description("Egress events that were omitted from streams and not counted.")
            .register(registry);
    private final Timer spawn = timer(
                    "brig.spawn",
                    "Time from the request until the worker runs.",
                    0.01,
                    0.02,
                    0.05,
                    0.1,
                    0.2,
                    0.5,
                    1,
                    2,
                    5,
                    10,
                    30)
            .register(registry);
    private final Timer firstChunk = timer(
                    "brig.first.chunk",
                    "Time from the request until the agent's first output.",
                    0.01,
                    0.02,
                    0.05,
                    0.1,
                    0.2,
                    0.5,
                    1,
                    2,
                    5,
                    10,
                    30,
                    60,
                    120)
            .register(registry);
    private final Timer askWait = timer(
                    "brig.ask.wait",
                    "Time from an ask of an agent until it is settled.",
                    0.1,
                    1,
                    5,
                    15,
                    60,
                    300,
                    900,
                    3_600,
                    14_400)
            .register(registry);
    private final Timer database = store("database");
    private final Timer streams = store("streams");
    private final Timer published = timer(
                    "brig.cluster.publish",
                    "Time from the request to publish a run of frames until JetStream has it on disk.",
                    0.001,
                    0.002,
                    0.005,
                    0.01,
                    0.02,
                    0.05,
                    0.1,
                    0.5,
                    1,
                    5)
            .register(registry);
    private final Timer loopLag = timer(
                    "brig.loop.lag",
                    "Delay of the event loop's timers.",
                    0.001,
                    0.002,
                    0.005,
                    0.01,
                    0.02,
                    0.05,
                    0.1,
                    0.2,
                    0.5,
                    1,
                    5)
            .register(registry);

    /** @param nanoTime as {@link System#nanoTime} */
    public Counters(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        for (Transport transport : Transport.values()) {
            audiences.put(transport, new TransportCounters());
        }
        // Known series exist from the beginning: a rate ignores the first value of a new series.
        List.of("evicted", "record_lost").forEach(this::gaps);
        List.of("terminated", "failed").forEach(this::ended);
        EGRESS.forEach(this::decisions);
        Arrays.stream(EgressEvent.Budget.Scope.values()).forEach(this::refusals);
        Arrays.stream(Notice.values()).forEach(this::notices);
        for (String kind : ASK_KINDS) {
            Arrays.stream(Frame.Answered.Reason.values()).forEach(reason -> asksSettled(kind, label(reason)));
        }
    }

    private static Timer.Builder timer(String name, String description, double... bucketSeconds) {
        return Timer.builder(name)
                .description(description)
                .serviceLevelObjectives(Arrays.stream(bucketSeconds)
                        .mapToObj(seconds -> Duration.ofNanos(Math.round(seconds * NANOS)))
                        .toArray(Duration[]::new));
    }

    private Timer store(String store) {
        return timer(
                        "brig.store",
                        "Time from the request to store until the data is on disk.",
                        0.0001,
                        0.0002,
                        0.0005,
                        0.001,
                        0.002,
                        0.005,
                        0.01,
                        0.02,
                        0.05,
                        0.1,
                        0.5,
                        1,
                        5)
                .tag("store", store)
                .register(registry);
    }

    private Counter gaps(String reason) {
        return Counter.builder("brig.gaps")
                .description("Gaps reported to subscribers.")
                .tag("reason", reason)
                .register(registry);
    }

    private Counter ended(String state) {
        return Counter.builder("brig.sessions.ended")
                .description("Sessions that ended since the gateway started.")
                .tag("state", state)
                .register(registry);
    }

    private Counter decisions(String decision) {
        return Counter.builder("brig.egress.decisions")
                .description("Outcomes of network requests of workers; allowed counts hosts"
                        + " that a session reached for the first time.")
                .tag("decision", decision)
                .register(registry);
    }

    private Counter asksSettled(String kind, String reason) {
        return Counter.builder("brig.asks.settled")
                .description("Asks of agents that are settled, by what settled them.")
                .tags("kind", kind, "reason", reason)
                .register(registry);
    }

    private Counter notices(Notice outcome) {
        return Counter.builder("brig.webhook.notices")
                .description("Notices of asks for asks.webhook.url, by outcome.")
                .tag("outcome", label(outcome))
                .register(registry);
    }

    /** The label of a kind or reason; null is one of a newer worker-agent. */
    public static String label(@Nullable Enum<?> value) {
        return value == null ? "unknown" : value.name().toLowerCase(Locale.ROOT);
    }

    private static void record(Timer timer, double seconds) {
        timer.record(Math.round(seconds * NANOS), TimeUnit.NANOSECONDS);
    }

    /** The registry of all meters. */
    PrometheusMeterRegistry registry() {
        return registry;
    }

    /** Starts a duration, which {@link #secondsSince} ends. */
    public long nanoTime() {
        return nanoTime.getAsLong();
    }

    public double secondsSince(long begunNanos) {
        return (nanoTime.getAsLong() - begunNanos) / NANOS;
    }

    /** Frames came from a worker. */
    public void handleFrames(long frames, long bytes) {
        framesIn += frames;
        bytesIn += bytes;
    }

    /** The counters of subscribers over that transport. */
    public TransportCounters audience(Transport transport) {
        return audiences.computeIfAbsent(transport, key -> new TransportCounters());
    }

    /** A gap was reported to a subscriber. */
    public void handleGap(String reason, long frames) {
        gaps(reason).increment();
        gapFrames.increment((double) frames);
    }

    /** A slow connection was closed. */
    public void handleSlowClose() {
        slowCloses.increment();
    }

    /** A worker was paused by a subscriber, or resumed. */
    public void handlePaused(boolean paused) {
        countPaused();
        pausedNow += paused ? 1 : -1;
    }

    private void countPaused() {
        long now = nanoTime.getAsLong();
        pausedNanos += pausedNow * (now - pausedCountedNanos);
        pausedCountedNanos = now;
    }

    /** Total time that workers were paused, including the currently paused ones. */
    double pausedSeconds() {
        countPaused();
        return pausedNanos / NANOS;
    }

    /** A worker that this process requested runs. */
    public void handleRunning(double seconds) {
        record(spawn, seconds);
    }

    /** An agent's first chunk came, that long after its worker was requested. */
    public void handleFirstChunk(double seconds) {
        record(firstChunk, seconds);
    }

    /** @param state {@code terminated} or {@code failed} */
    public void handleEnded(String state) {
        ended(state).increment();
    }

    /** An {@code egress} frame came. */
    public void handleEgress(EgressEvent.@Nullable Shown event, long dropped) {
        String decision = switch (event) {
            case EgressEvent.Blocked _ -> "blocked";
            case EgressEvent.Ask _ -> "asked";
            case EgressEvent.Allowed _ -> "allowed";
            case EgressEvent.TlsFailed _ -> "tls_failed";
            case EgressEvent.Answered answered -> answered.allowed() ? "answered_allowed" : "answered_denied";
            case EgressEvent.ThrottledByProvider _ -> null;
            case EgressEvent.ProviderResumed resumed -> {
                providerWait.increment(Math.max(0, resumed.waitedMs()) / 1000.0);
                yield null;
            }
            case EgressEvent.Quiet _ -> null;
            case EgressEvent.ProjectFile _ -> null;
            case null -> null;
        };
        if (decision != null) {
            decisions(decision).increment();
        }
        untold.increment((double) dropped);
    }

    /**
     * An agent used tokens.
     *
     * @param fromEgress whether they were counted from its requests; the two sources overlap
     */
    public void handleTokens(String agent, boolean fromEgress, String kind, long count) {
        if (count > 0) {
            Counter.builder("brig.tokens")
                    .description("Tokens used by models. The sources egress and agent overlap.")
                    .tags("agent", agent, "source", source(fromEgress), "kind", kind)
                    .register(registry)
                    .increment((double) count);
        }
    }

    /**
     * A request to a model had a cost.
     *
     * @param fromEgress as in {@link #handleTokens}
     * @param usd null if it is not known
     */
    public void handleCost(String agent, boolean fromEgress, @Nullable Double usd) {
        if (usd != null && usd > 0 && Double.isFinite(usd)) {
            Counter.builder("brig.cost.usd")
                    .description("What models cost, in US dollars. The sources egress and agent overlap.")
                    .tags("agent", agent, "source", source(fromEgress))
                    .register(registry)
                    .increment(usd);
        }
    }

    private static String source(boolean fromEgress) {
        return fromEgress ? "egress" : "agent";
    }

    /** A {@code budget} frame came. */
    public void handleBudget(EgressEvent.Budget told) {
        if (told.refused() != null) {
            refusals(told.scope()).increment();
        }
    }

    private Counter refusals(EgressEvent.Budget.Scope scope) {
        return Counter.builder("brig.budget.refusals")
                .description("Times that a session was told that a budget has no room for a request; by whose it is.")
                .tag("scope", label(scope))
                .register(registry);
    }

    /**
     * An ask was settled.
     *
     * @param waitedMs null if it is not known when it was asked
     */
    public void handleAskSettled(
            Frame.Ask.@Nullable Kind kind, Frame.Answered.@Nullable Reason reason, @Nullable Long waitedMs) {
        asksSettled(label(kind), label(reason)).increment();
        if (waitedMs != null) {
            askWait.record(waitedMs, TimeUnit.MILLISECONDS);
        }
    }

    /** The outcome of a notice of the webhook. */
    public enum Notice {
        DELIVERED,
        /** The server did not take it. */
        FAILED,
        /** Too many waited. */
        DROPPED
    }

    /** A notice of the webhook is done with. */
    public void handleNotice(Notice outcome) {
        notices(outcome).increment();
    }

    /** The database answered. */
    public void handleStored(double seconds) {
        record(database, seconds);
    }

    /** A part of a stream is on disk. */
    public void handleRecorded(double seconds) {
        record(streams, seconds);
    }

    /** A run of frames is durable for all gateways. */
    public void handlePublished(double seconds) {
        record(published, seconds);
    }

    /** A timer of the event loop fired late. */
    void handleLag(double seconds) {
        record(loopLag, seconds);
    }
}
