package brig.workeragent.egress;

import brig.egress.confinement.SelfMeasurement;
import brig.egress.message.EgressReport;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Json;
import brig.protocol.wire.LineDecoder;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the reports of one run of brig-egress. One thread reads and calls the listener; other methods are thread-safe.
 *
 * <p>Decision 0147.
 */
final class ReportReader {
    private static final Logger LOG = LoggerFactory.getLogger(ReportReader.class);
    private static final int LINE_BYTES_MAX = 64 * 1024;

    private final EgressLink.Listener told;
    private final CompletableFuture<SelfMeasurement> measured = new CompletableFuture<>();
    private final Map<String, CompletableFuture<Void>> unregistered = new ConcurrentHashMap<>();
    private volatile boolean ended;

    ReportReader(EgressLink.Listener told) {
        this.told = told;
    }

    /** Its measurement of itself, sent when it is ready. */
    CompletableFuture<SelfMeasurement> measured() {
        return measured;
    }

    /**
     * Completes on the reading thread when all events of that worker were delivered, or no more can come. A caller that
     * stops waiting completes it, as brig-egress may never answer.
     */
    CompletableFuture<Void> whenUnregistered(String worker) {
        CompletableFuture<Void> over = unregistered.computeIfAbsent(worker, id -> new CompletableFuture<>());
        var _ = over.thenRun(() -> unregistered.remove(worker, over));
        if (ended) {
            over.complete(null);
        }
        return over;
    }

    /** Reads to the end of the input. */
    void read(InputStream from) {
        LineDecoder decoder = new LineDecoder(LINE_BYTES_MAX, new LineDecoder.Sink() {
            @Override
            public void handleLine(byte[] bytes, int offset, int length) {
                ReportReader.this.handleLine(bytes, offset, length);
            }

            @Override
            public void handleBadLine(ErrorCode code) {
                LOG.warn("brig-egress wrote an invalid line: {}", code);
            }
        });
        byte[] buffer = new byte[16 * 1024];
        try (from) {
            for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
                decoder.decode(buffer, 0, count);
            }
        } catch (IOException e) {
            LOG.debug("reading from brig-egress: {}", e.toString());
        }
        ended = true;
        unregistered.values().forEach(over -> over.complete(null));
    }

    private void handleLine(byte[] bytes, int offset, int length) {
        try {
            switch (Json.read(bytes, offset, length, EgressReport.class)) {
                case EgressReport.Ready ready -> measured.complete(ready.measured());
                case EgressReport.Audit audit -> told.handleAudit(audit.entry());
                case EgressReport.Event event -> told.handleEvent(event);
                case EgressReport.LoginRefused refused -> told.handleLoginRefused(refused);
                case EgressReport.Unregistered gone -> handleUnregistered(gone.worker());
                case EgressReport.LedgerBegun begun -> told.handleLedgerBegun(begun.number());
                case EgressReport.LedgerFull _ -> told.handleLedgerFull();
                case EgressReport.Lost lost -> handleLost(lost);
            }
        } catch (BrigException e) {
            LOG.warn("brig-egress wrote an invalid line: {}", e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("the handler of a brig-egress event failed", e);
        }
    }

    private void handleUnregistered(String worker) {
        CompletableFuture<Void> over = unregistered.get(worker);
        if (over != null) {
            over.complete(null);
        }
    }

    private void handleLost(EgressReport.Lost lost) {
        switch (lost.kind()) {
            case AUDIT -> told.handleAuditLost(lost.count());
            case EVENTS ->
                LOG.warn("brig-egress lost {} events because the worker-agent read too slowly", lost.count());
        }
    }
}
