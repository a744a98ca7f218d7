package brig.gateway.spawn;

import brig.gateway.store.RequestRecord;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Json;
import brig.protocol.record.Extensible;
import brig.protocol.spawn.SpawnRequest;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Idempotent requests: a request_id, within its provider and project, stands for one spawn for 24 hours.
 *
 * <p>Within this process concurrent requests with the same key share one pending spawn. The key is stored with its
 * spawn before anything starts, and the result follows. Tokens are derived again instead of stored. A retryable refusal
 * frees the key. Owned by the event loop.
 *
 * <p>Decisions 0039, 0145.
 */
final class Requests {
    private static final Logger logger = LoggerFactory.getLogger(Requests.class);
    static final long KEPT_MS = 24 * 3600 * 1000L;
    private static final long SWEEP_MS = 3600 * 1000L;

    private final Spawner.Services parts;
    private final Spawns spawns;
    private final SessionSocketOpener sessionSockets;
    private final Map<RequestRecord.Key, InFlight> inFlight = new HashMap<>();

    private record InFlight(String fingerprint, CompletableFuture<AcceptedSpawn> answer) {}

    /** Starts a spawn and stores the request with it. */
    @FunctionalInterface
    interface Launch {
        CompletionStage<AcceptedSpawn> start(RequestRecord request);
    }

    Requests(Spawner.Services parts, Spawns spawns, SessionSocketOpener sessionSockets) {
        this.parts = parts;
        this.spawns = spawns;
        this.sessionSockets = sessionSockets;
    }

    /** Deletes expired keys. */
    void sweep() {
        parts.store().forgetBefore(parts.clock().nowMs() - KEPT_MS).exceptionally(failure -> {
            logger.warn("expired request ids were not deleted: {}", failure.getMessage());
            return null;
        });
        var _ = parts.timers().after(SWEEP_MS, this::sweep);
    }

    /** The spawn of the request: the existing one, or a new one from the launch. */
    CompletionStage<AcceptedSpawn> once(
            SpawnRequest request, SpawnRequest.Asker asker, String requestId, Launch launch) {
        RequestRecord.Key key = new RequestRecord.Key(
                request.claim().provider(), request.claim().project(), requestId);
        byte[] content = RequestContent.of(request, asker).bytes();
        String fingerprint = parts.secrets().fingerprint(content);
        InFlight other = inFlight.get(key);
        if (other != null) {
            return other.fingerprint().equals(fingerprint)
                    ? other.answer().copy()
                    : CompletableFuture.failedFuture(
                            conflict(requestId, "is still in flight").withHttpStatus(409));
        }
        InFlight mine = new InFlight(fingerprint, new CompletableFuture<>());
        inFlight.put(key, mine);
        parts.store()
                .find(key)
                .thenCompose(found -> found.filter(this::isKept)
                        .map(known -> repeat(request, known, content, launch))
                        .orElseGet(() -> first(key, found, fingerprint, launch)))
                .whenComplete((accepted, failure) -> {
                    if (failure == null) {
                        // In flight until it runs.
                        accepted.workspace().whenComplete((path, lost) -> inFlight.remove(key));
                        mine.answer().complete(accepted);
                    } else {
                        inFlight.remove(key);
                        mine.answer().completeExceptionally(Spawner.reason(failure));
                    }
                });
        return mine.answer().copy();
    }

    /** The stored result: the workspace of the worker, or why there is none. */
    @Extensible
    private record Kept(
            @Nullable String workspace,
            @Nullable ErrorCode code,
            @Nullable String error) {
        static Kept read(String json) {
            return Json.read(json.getBytes(StandardCharsets.UTF_8), Kept.class);
        }

        String json() {
            return new String(Json.write(this), StandardCharsets.UTF_8);
        }

        CompletionStage<String> outcome() {
            if (code != null) {
                return CompletableFuture.failedFuture(new BrigException(code, error == null ? "" : error));
            }
            return CompletableFuture.completedFuture(workspace == null ? "" : workspace);
        }
    }

    private boolean isKept(RequestRecord record) {
        return record.createdMs() + KEPT_MS > parts.clock().nowMs();
    }

    private CompletionStage<AcceptedSpawn> first(
            RequestRecord.Key key, Optional<RequestRecord> expired, String fingerprint, Launch launch) {
        if (expired.isPresent()) {
            var _ = parts.store().forget(key);
        }
        return launch.start(RequestRecord.asked(key, fingerprint, parts.clock().nowMs()))
                .thenApply(begun -> new AcceptedSpawn(
                        begun.spawnId(),
                        begun.taskId(),
                        begun.captainToken(),
                        begun.watcherToken(),
                        begun.ioSocket(),
                        kept(key, begun.workspace())))
                .exceptionallyCompose(failure -> refuse(key, Spawner.reason(failure)));
    }

    /** The result of a start, once it is on disk. */
    private CompletionStage<String> kept(RequestRecord.Key key, CompletionStage<String> start) {
        return start.thenCompose(workspace -> parts.store()
                        .answer(key, new Kept(workspace, null, null).json())
                        .exceptionally(failure -> null)
                        .thenApply(noted -> workspace))
                .exceptionallyCompose(failure -> refuse(key, Spawner.reason(failure)));
    }

    private <T> CompletionStage<T> refuse(RequestRecord.Key key, BrigException refusal) {
        if (refusal.code() == ErrorCode.IDEMPOTENCY_CONFLICT) {
            return CompletableFuture.failedFuture(refusal);
        }
        CompletionStage<Void> noted = refusal.code().isRetryable()
                ? parts.store().forget(key)
                : parts.store().answer(key, new Kept(null, refusal.code(), refusal.getMessage()).json());
        return noted.handle((done, failure) -> {
            throw new CompletionException(refusal);
        });
    }

    private CompletionStage<AcceptedSpawn> repeat(
            SpawnRequest request, RequestRecord known, byte[] content, Launch launch) {
        if (!parts.secrets().isFingerprint(known.fingerprint(), content)) {
            return CompletableFuture.failedFuture(
                    known.answer() == null
                            ? conflict(known.key().requestId(), "is still in flight")
                                    .withHttpStatus(409)
                            : conflict(known.key().requestId(), "was used for another request"));
        }
        if (known.answer() != null) {
            return CompletableFuture.completedFuture(
                    again(request, known.spawnId(), Kept.read(known.answer()).outcome()));
        }
        // The earlier process did not get to its answer.
        Optional<Spawn> found = spawns.find(known.spawnId());
        if (found.isEmpty()
                || found.get()
                        .failure()
                        .filter(failure -> failure.code().isRetryable())
                        .isPresent()) {
            return parts.store()
                    .forget(known.key())
                    .thenCompose(freed -> first(known.key(), Optional.empty(), known.fingerprint(), launch));
        }
        Spawn spawn = found.get();
        CompletionStage<String> start = spawn.settled().thenApply(settled -> {
            spawn.failure().ifPresent(failure -> {
                throw failure;
            });
            return spawn.workspace();
        });
        return CompletableFuture.completedFuture(again(request, known.spawnId(), kept(known.key(), start)));
    }

    private AcceptedSpawn again(SpawnRequest request, String spawnId, CompletionStage<String> workspace) {
        String taskId = request.taskId() == null ? spawnId : request.taskId();
        return new AcceptedSpawn(
                spawnId,
                taskId,
                token("captain", spawnId, Spawn::captainHash),
                token("watcher", spawnId, Spawn::watcherHash),
                sessionSockets.pathOf(spawnId, taskId),
                workspace);
    }

    private String token(String role, String spawnId, Function<Spawn, String> hash) {
        return spawns.known(spawnId)
                .map(spawn -> parts.secrets().token(role, spawnId, hash.apply(spawn)))
                .orElseGet(() -> parts.secrets().token(role, spawnId));
    }

    private static BrigException conflict(String requestId, String why) {
        return new BrigException(ErrorCode.IDEMPOTENCY_CONFLICT, "request_id " + requestId + " " + why);
    }
}
