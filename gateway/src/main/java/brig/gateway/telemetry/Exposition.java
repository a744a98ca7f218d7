package brig.gateway.telemetry;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.core.metrics.Info;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * All metrics in Prometheus' text format, in seconds, bytes and counts. Gauges are read at each scrape and cost nothing
 * between scrapes. Owned by the event loop.
 *
 * <p>Decisions 0095, 0097.
 */
public final class Exposition {
    private static final String SECONDS = "seconds";

    private final Counters counters;
    private final LoopWatch loop;
    private final Supplier<GaugeReadings> view;
    private final PrometheusMeterRegistry registry;
    private final MultiGauge sessions;
    private final MultiGauge asks;
    private final MultiGauge budgets;
    private final MultiGauge hosts;
    private final MultiGauge clusterHosts;
    private final MultiGauge used;
    private final MultiGauge max;
    private GaugeReadings now = GaugeReadings.NOTHING;

    /** @param view reads the gauges */
    public Exposition(Counters counters, LoopWatch loop, Supplier<GaugeReadings> view, String version) {
        this.counters = counters;
        this.loop = loop;
        this.view = view;
        this.registry = counters.registry();
        sessions = MultiGauge.builder("brig.sessions")
                .description("Sessions that have not ended.")
                .register(registry);
        asks = MultiGauge.builder("brig.asks.open")
                .description("Asks of agents that wait for an answer.")
                .register(registry);
        budgets = MultiGauge.builder("brig.budgets")
                .description("Live sessions with a budget, by how much of it is used up, in percent.")
                .register(registry);
        hosts = MultiGauge.builder("brig.hosts")
                .description("Other hosts, by the state of the link to them.")
                .register(registry);
        clusterHosts = MultiGauge.builder("brig.cluster.hosts")
                .description("Hosts that gateways share, by what this gateway does with them.")
                .register(registry);
        used = MultiGauge.builder("brig.limit.used")
                .description("The used part of a limit.")
                .register(registry);
        max = MultiGauge.builder("brig.limit.max")
                .description("The configured limit.")
                .register(registry);
        Info.builder()
                .name("brig_build_info")
                .help("The version of the gateway.")
                .labelNames("version")
                .register(registry.getPrometheusRegistry())
                .setLabelValues(version);
        addStreams();
        addConnections();
        addCluster();
        addProcess();
    }

    /** @return UTF-8 */
    public byte[] scrape() {
        now = view.get();
        sessions.register(counts("state", now.sessions()), true);
        asks.register(counts("kind", now.asks()), true);
        budgets.register(counts("used", now.budgets()), true);
        hosts.register(counts("state", now.hosts()), true);
        clusterHosts.register(counts("part", now.cluster().hosts()), true);
        used.register(limits(GaugeReadings.LimitUse::used), true);
        max.register(limits(GaugeReadings.LimitUse::max), true);
        return registry.scrape().getBytes(StandardCharsets.UTF_8);
    }

    private static List<MultiGauge.Row<?>> counts(String label, Map<String, Integer> counts) {
        return counts.entrySet().stream()
                .<MultiGauge.Row<?>>map(of -> MultiGauge.Row.of(Tags.of(label, of.getKey()), of.getValue()))
                .toList();
    }

    private List<MultiGauge.Row<?>> limits(ToDoubleFunction<GaugeReadings.LimitUse> value) {
        return now.limits().stream()
                .<MultiGauge.Row<?>>map(
                        limit -> MultiGauge.Row.of(Tags.of("limit", limit.key()), value.applyAsDouble(limit)))
                .toList();
    }

    private void addStreams() {
        counter("brig.frames.received", null, "Frames received from workers.", of -> of.framesIn);
        counter("brig.received", BaseUnits.BYTES, "Bytes of these frames.", of -> of.bytesIn);
        for (Transport transport : Transport.values()) {
            if (transport != Transport.NONE) {
                addAudience(counters.audience(transport), Tags.of("transport", transport.label()));
            }
        }
        gauge("brig.paused.workers", null, "Workers paused for a slow subscriber.", of -> of.counters.pausedNow);
        counter("brig.paused", SECONDS, "Total time that workers were paused.", Counters::pausedSeconds);
    }

    private void addAudience(TransportCounters audience, Tags transport) {
        FunctionCounter.builder("brig.frames.sent", audience, of -> of.frames)
                .tags(transport)
                .description("Frames sent to subscribers.")
                .register(registry);
        FunctionCounter.builder("brig.sent", audience, of -> of.bytes)
                .tags(transport)
                .baseUnit(BaseUnits.BYTES)
                .description("Bytes of these frames, without the framing of transports.")
                .register(registry);
        Gauge.builder("brig.subscribers", audience, of -> of.subscribers)
                .tags(transport)
                .description("Subscribers of streams.")
                .register(registry);
    }

    private void addConnections() {
        gauge("brig.ready", null, "Whether workers can be started.", of -> of.now.workerAgentUp() ? 1 : 0);
        gauge("brig.connections", null, "Connections to which streams can be sent.", of -> of.now.connections());
        gauge(
                "brig.throttled.sessions",
                null,
                "Sessions whose requests wait because a model's provider limits their rate.",
                of -> of.now.throttled());
        gauge("brig.throttling.providers", null, "Providers that these wait for.", of -> of.now.throttling());
        gauge("brig.connections.full", null, "Connections whose queue is full.", of -> of.now.full());
        gauge("brig.queue", BaseUnits.BYTES, "Bytes queued in all connections.", of -> of.now.queueBytes());
    }

    private void addCluster() {
        gauge(
                "brig.cluster.connected",
                null,
                "Whether NATS answers; 0 also for a gateway alone.",
                of -> of.now.cluster().connected() ? 1 : 0);
        FunctionCounter.builder(
                        "brig.cluster.takeovers", this, of -> of.now.cluster().taken())
                .description("Times that this gateway took a shared host.")
                .register(registry);
        FunctionCounter.builder(
                        "brig.cluster.losses", this, of -> of.now.cluster().lost())
                .description("Times that this gateway lost a shared host, or gave it up.")
                .register(registry);
    }

    private void addProcess() {
        gauge(
                "brig.loop.longest.task",
                SECONDS,
                "The longest time that one task blocked the event loop in the last minutes.",
                of -> of.loop.longestSeconds());
        Runtime runtime = Runtime.getRuntime();
        gauge("brig.heap.used", BaseUnits.BYTES, "Heap in use.", of -> runtime.totalMemory() - runtime.freeMemory());
        ProcessHandle.Info process = ProcessHandle.current().info();
        counter(
                "process.cpu",
                SECONDS,
                "CPU time of the gateway.",
                of -> process.totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e9);
    }

    private void counter(String name, @Nullable String unit, String description, ToDoubleFunction<Counters> value) {
        FunctionCounter.builder(name, counters, value)
                .baseUnit(unit)
                .description(description)
                .register(registry);
    }

    private void gauge(String name, @Nullable String unit, String description, ToDoubleFunction<Exposition> value) {
        Gauge.builder(name, this, value).baseUnit(unit).description(description).register(registry);
    }
}
