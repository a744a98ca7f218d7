package brig.gateway.telemetry;

import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * All numbers in Prometheus' text format, in seconds, bytes and counts. They are put together when they are asked for;
 * between two scrapes nothing is done for them. Owned by the event loop.
 */
public final class Exposition {
    private final Counters counters;
    private final LoopWatch loop;
    private final Supplier<View> view;
    private final String version;

    /** @param view what is not counted but looked up */
    public Exposition(Counters counters, LoopWatch loop, Supplier<View> view, String version) {
        this.counters = counters;
        this.loop = loop;
        this.view = view;
        this.version = version;
    }

    public byte[] scrape() {
        View now = view.get();
        MetricSnapshots.Builder all = MetricSnapshots.builder();
        addSessions(all, now);
        addStreams(all);
        addAgents(all);
        addGateway(all, now);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try {
            PrometheusTextFormatWriter.create().write(text, all.build(), EscapingScheme.DEFAULT);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toByteArray();
    }

    private void addSessions(MetricSnapshots.Builder all, View now) {
        GaugeSnapshot.Builder sessions = gauge("brig_sessions", "Sessions that have not ended.");
        now.sessions().forEach((state, count) -> sessions.dataPoint(point(count, "state", state)));
        all.metricSnapshot(sessions.build());
        all.metricSnapshot(byLabel("brig_sessions_ended", "Sessions that ended, since the gateway started.", "state",
                counters.ended));
        all.metricSnapshot(histogram("brig_spawn_seconds", "From the request until the worker runs.", counters.spawn));
        all.metricSnapshot(histogram("brig_first_chunk_seconds", "From the request until the first words of the agent.",
                counters.firstChunk));
    }

    private void addStreams(MetricSnapshots.Builder all) {
        all.metricSnapshot(counter("brig_frames_received", "Frames of workers.", counters.framesIn));
        all.metricSnapshot(counter("brig_received_bytes", "Bytes of these frames.", counters.bytesIn));
        CounterSnapshot.Builder frames = counters("brig_frames_sent", "Frames that subscribers were given.");
        CounterSnapshot.Builder bytes = counters("brig_sent_bytes", "Bytes of these frames, without what transports add.");
        GaugeSnapshot.Builder subscribers = gauge("brig_subscribers", "Readers of streams, each of one stream.");
        counters.audiences.forEach((transport, audience) -> {
            if (transport != Transport.NONE) {
                Labels labels = Labels.of("transport", transport.label());
                frames.dataPoint(count(audience.frames, labels));
                bytes.dataPoint(count(audience.bytes, labels));
                subscribers.dataPoint(point(audience.subscribers, "transport", transport.label()));
            }
        });
        all.metricSnapshot(frames.build());
        all.metricSnapshot(bytes.build());
        all.metricSnapshot(subscribers.build());
        all.metricSnapshot(byLabel("brig_gaps", "Gaps that subscribers were told of.", "reason", counters.gaps));
        all.metricSnapshot(counter("brig_gap_frames", "Frames that these gaps left out.", counters.gapFrames));
        all.metricSnapshot(counter("brig_slow_closes", "Connections that were ended because they took too little.",
                counters.slowCloses));
        all.metricSnapshot(single("brig_paused_workers", "Workers that a slow reader holds back.", counters.pausedNow));
        all.metricSnapshot(counter("brig_paused_seconds", "How long workers were held back, summed over them.",
                counters.pausedSeconds()));
    }

    private void addAgents(MetricSnapshots.Builder all) {
        all.metricSnapshot(byLabel("brig_egress_decisions", "What became of requests to the outside; allowed: hosts that a "
                + "session reached for the first time.", "decision", counters.egress));
        all.metricSnapshot(counter("brig_egress_untold", "Egress events that were left out of streams and are not counted.",
                counters.egressDropped));
        CounterSnapshot.Builder tokens = counters("brig_tokens", "Tokens of models. What source egress counts, source agent "
                + "may count again.");
        counters.tokens.forEach((of, count) -> tokens.dataPoint(count(count[0],
                Labels.of("agent", of.agent(), "source", of.source(), "kind", of.kind()))));
        all.metricSnapshot(tokens.build());
    }

    private void addGateway(MetricSnapshots.Builder all, View now) {
        all.metricSnapshot(gauge("brig_build_info", "The version that runs.").dataPoint(point(1, "version", version)).build());
        all.metricSnapshot(single("brig_ready", "Whether workers can be started.", now.workerAgentUp() ? 1 : 0));
        all.metricSnapshot(single("brig_connections", "Connections that streams may be written to.", now.connections()));
        all.metricSnapshot(single("brig_connections_full", "Those of them whose queue is full.", now.full()));
        all.metricSnapshot(single("brig_queue_bytes", "Bytes that wait in all connections.", now.queueBytes()));
        all.metricSnapshot(limits("brig_limit_used", "How much of a limit is taken.", now, View.LimitUse::used));
        all.metricSnapshot(limits("brig_limit_max", "The limit, as configured.", now, View.LimitUse::max));
        all.metricSnapshot(histogram("brig_loop_lag_seconds", "How late a timer of the event loop fires.", counters.loopLag));
        all.metricSnapshot(single("brig_loop_longest_task_seconds",
                "The longest that one task held the event loop in the last minutes.", loop.longestSeconds()));
        all.metricSnapshot(HistogramSnapshot.builder().name("brig_store_seconds")
                .help("From the wish to store until it is on disk.")
                .dataPoint(point(counters.database, Labels.of("store", "database")))
                .dataPoint(point(counters.record, Labels.of("store", "streams"))).build());
        Runtime runtime = Runtime.getRuntime();
        all.metricSnapshot(single("brig_heap_used_bytes", "Heap in use.", runtime.totalMemory() - runtime.freeMemory()));
        ProcessHandle.current().info().totalCpuDuration().ifPresent(used -> all.metricSnapshot(
                counter("process_cpu_seconds", "CPU time of the gateway.", used.toNanos() / 1e9)));
    }

    private static GaugeSnapshot limits(String name, String help, View now, ToDoubleFunction<View.LimitUse> value) {
        GaugeSnapshot.Builder gauge = gauge(name, help);
        now.limits().forEach(limit -> gauge.dataPoint(point(value.applyAsDouble(limit), "limit", limit.key())));
        return gauge.build();
    }

    private static CounterSnapshot byLabel(String name, String help, String label, Map<String, long[]> values) {
        CounterSnapshot.Builder counter = counters(name, help);
        values.forEach((value, count) -> counter.dataPoint(count(count[0], Labels.of(label, value))));
        return counter.build();
    }

    private static CounterSnapshot counter(String name, String help, Number value) {
        return counters(name, help).dataPoint(count(value, Labels.EMPTY)).build();
    }

    /** Its name goes out with {@code _total} behind it. */
    private static CounterSnapshot.Builder counters(String name, String help) {
        return CounterSnapshot.builder().name(name).help(help);
    }

    private static CounterDataPointSnapshot count(Number value, Labels labels) {
        return CounterDataPointSnapshot.builder().value(value.doubleValue()).labels(labels).build();
    }

    private static GaugeSnapshot single(String name, String help, Number value) {
        return gauge(name, help).dataPoint(GaugeDataPointSnapshot.builder().value(value.doubleValue()).build()).build();
    }

    private static GaugeSnapshot.Builder gauge(String name, String help) {
        return GaugeSnapshot.builder().name(name).help(help);
    }

    private static GaugeDataPointSnapshot point(double value, String label, String of) {
        return GaugeDataPointSnapshot.builder().value(value).labels(Labels.of(label, of)).build();
    }

    private static HistogramSnapshot histogram(String name, String help, Histogram of) {
        return HistogramSnapshot.builder().name(name).help(help).dataPoint(point(of, Labels.EMPTY)).build();
    }

    private static HistogramDataPointSnapshot point(Histogram of, Labels labels) {
        return HistogramDataPointSnapshot.builder().classicHistogramBuckets(of.buckets()).sum(of.sum()).labels(labels).build();
    }
}
