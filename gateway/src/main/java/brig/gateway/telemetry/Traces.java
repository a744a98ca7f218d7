package brig.gateway.telemetry;

import brig.gateway.telemetry.TraceExport.Attribute;
import brig.gateway.telemetry.TraceExport.Resource;
import brig.gateway.telemetry.TraceExport.ResourceSpans;
import brig.gateway.telemetry.TraceExport.Scope;
import brig.gateway.telemetry.TraceExport.ScopeSpans;
import brig.gateway.telemetry.TraceExport.Span;
import brig.gateway.time.Clock;
import brig.protocol.json.Json;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the traces of spawns to an OpenTelemetry collector: OTLP/HTTP 1.x in its JSON form, one request per spawn. An
 * unresponsive collector costs only the traces: at most {@link #ON_THE_WAY_MAX} requests are pending.
 *
 * <p>Decision 0098.
 */
public final class Traces {
    private static final Logger log = LoggerFactory.getLogger(Traces.class);
    private static final int ON_THE_WAY_MAX = 16;
    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);
    private static final int TRACE_ID_BYTES = 16;
    private static final int SPAN_ID_BYTES = 8;
    private static final int KIND_INTERNAL = 1;

    private final Clock clock;
    private final LongSupplier nanoTime;
    private final @Nullable URI endpoint;
    private final SecureRandom random = new SecureRandom();
    private final AtomicInteger onTheWay = new AtomicInteger();
    /** Whether the last request succeeded; changes are logged once. */
    private volatile boolean answered = true;

    private @Nullable HttpClient client;

    /** @param endpoint such as {@code http://127.0.0.1:4318/v1/traces}; empty for none */
    public Traces(String endpoint, Clock clock, LongSupplier nanoTime) {
        this.endpoint = endpoint.isEmpty() ? null : URI.create(endpoint);
        this.clock = clock;
        this.nanoTime = nanoTime;
    }

    /** Begins the trace of a requested spawn. */
    public SpawnTrace begin() {
        return endpoint == null ? SpawnTrace.none() : new SpawnTrace(clock.nowMs(), nanoTime, this::send);
    }

    private void send(SpawnTrace.Finished trace) {
        if (endpoint == null || onTheWay.incrementAndGet() > ON_THE_WAY_MAX) {
            onTheWay.decrementAndGet();
            return;
        }
        if (client == null) {
            client = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(ANSWER_MAX)
                    .build();
        }
        HttpRequest request = HttpRequest.newBuilder(endpoint)
                .timeout(ANSWER_MAX)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(Json.write(export(trace))))
                .build();
        var _ = client.sendAsync(request, HttpResponse.BodyHandlers.discarding())
                .whenComplete((response, failure) -> {
                    onTheWay.decrementAndGet();
                    handleSent(
                            failure != null
                                    ? failure.toString()
                                    : response.statusCode() / 100 == 2 ? null : "it answers " + response.statusCode());
                });
    }

    private void handleSent(@Nullable String fault) {
        if (fault != null && answered) {
            log.warn("the collector at traces.endpoint does not accept traces: {}", fault);
        }
        answered = fault == null;
    }

    /** One trace: a span for the spawn, with a child span for each step. */
    TraceExport export(SpawnTrace.Finished trace) {
        String traceId = randomHex(TRACE_ID_BYTES);
        String rootId = randomHex(SPAN_ID_BYTES);
        long begin = TimeUnit.MILLISECONDS.toNanos(trace.beginMs());
        List<Attribute> attributes = new ArrayList<>();
        trace.attributes().forEach((name, value) -> attributes.add(Attribute.of(name, value)));
        List<Span> spans = new ArrayList<>();
        spans.add(new Span(
                traceId,
                rootId,
                null,
                "spawn",
                KIND_INTERNAL,
                String.valueOf(begin),
                String.valueOf(begin + trace.nanos()),
                attributes,
                TraceExport.Status.of(trace.error())));
        for (SpawnTrace.Step step : trace.steps()) {
            spans.add(new Span(
                    traceId,
                    randomHex(SPAN_ID_BYTES),
                    rootId,
                    step.name(),
                    KIND_INTERNAL,
                    String.valueOf(begin + step.beginNanos()),
                    String.valueOf(begin + step.endNanos()),
                    null,
                    null));
        }
        return new TraceExport(List.of(new ResourceSpans(
                new Resource(List.of(Attribute.of("service.name", "brig-gateway"))),
                List.of(new ScopeSpans(new Scope("brig"), spans)))));
    }

    private String randomHex(int bytes) {
        byte[] id = new byte[bytes];
        random.nextBytes(id);
        return HexFormat.of().formatHex(id);
    }
}
