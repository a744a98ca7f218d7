package brig.gateway.worker;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.control.ApplyAnswer;
import brig.protocol.control.Done;
import brig.protocol.control.MirrorAnswer;
import brig.protocol.control.MirrorStart;
import brig.protocol.control.TransferRequest;
import brig.protocol.spawn.SpawnRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings repositories of the gateway's own host to others, and changes back. The worker-agents do the work; the gateway
 * asks the one what it has, and passes bytes on.
 *
 * <p>For one repository and one host there is one transfer at a time. Spawns that come meanwhile share the next one, which
 * begins after all of them, so each gets a HEAD that is not older than its request. Owned by the event loop.
 *
 * <p>Decision 0164.
 */
final class RepositoryTransfers {
    private static final Logger logger = LoggerFactory.getLogger(RepositoryTransfers.class);

    private final WorkerAgent home;
    /** The last transfer of each repository to each host. */
    private final Map<List<String>, CompletableFuture<MirrorStart>> last = new HashMap<>();
    /** Those that have not begun, by what they are for. */
    private final Map<List<String>, Transport> next = new HashMap<>();

    /** @param home the worker-agent that has the repositories */
    RepositoryTransfers(WorkerAgent home) {
        this.home = home;
    }

    /** Refuses a request whose repository may not be brought to another host. */
    CompletionStage<Void> check(SpawnRequest request, SpawnRequest.Asker asker) {
        return home.lendable(null, request.withoutPrompt(), asker).thenApply(mirror -> null);
    }

    /**
     * Brings what a host lacks.
     *
     * @param spawnId who may change the repository later
     * @param percent hears how much of it is there
     * @return what its worktree begins with
     */
    CompletionStage<MirrorStart> bring(
            String spawnId,
            WorkerAgent far,
            String host,
            SpawnRequest asked,
            SpawnRequest.Asker asker,
            IntConsumer percent) {
        SpawnRequest request = asked.withoutPrompt();
        List<IntConsumer> told = new ArrayList<>(List.of(percent));
        return home.lendable(spawnId, request, asker)
                .thenCompose(lendable -> share(
                        new Transport(far, host, lendable.mirror(), request, asker, told, new CompletableFuture<>())));
    }

    /** @param told those that hear of its progress */
    private record Transport(
            WorkerAgent far,
            String host,
            String mirror,
            SpawnRequest request,
            SpawnRequest.Asker asker,
            List<IntConsumer> told,
            CompletableFuture<MirrorStart> result) {
        void tell(long passed, long bytes) {
            int percent = (int) (passed * 100 / bytes);
            told.forEach(one -> one.accept(percent));
        }

        List<String> way() {
            return List.of(host, mirror);
        }

        /** What a policy hides and a mode adds differs. */
        List<String> purpose() {
            return List.of(
                    host, mirror, request.workspaceMode().name(), request.agent(), String.valueOf(request.policy()));
        }
    }

    private CompletionStage<MirrorStart> share(Transport transport) {
        @Nullable Transport waiting = next.get(transport.purpose());
        if (waiting != null) {
            waiting.told().addAll(transport.told());
            return waiting.result();
        }
        @Nullable CompletableFuture<MirrorStart> before = last.get(transport.way());
        CompletableFuture<MirrorStart> mine = transport.result();
        last.put(transport.way(), mine);
        var _ = mine.whenComplete((start, failure) -> last.remove(transport.way(), mine));
        if (before == null) {
            begin(transport);
        } else {
            next.put(transport.purpose(), transport);
            var _ = before.whenComplete((start, failure) -> {
                next.remove(transport.purpose(), transport);
                begin(transport);
            });
        }
        return mine;
    }

    private void begin(Transport transport) {
        var _ = transport(transport, true).whenComplete((start, failure) -> {
            if (failure == null) {
                transport.result().complete(start);
            } else {
                transport.result().completeExceptionally(Reason.cause(failure));
            }
        });
    }

    /** @param again whether to bring everything if the mirror turns out not to have what it said */
    private CompletionStage<MirrorStart> transport(Transport transport, boolean again) {
        return transport
                .far()
                .mirror(transport.mirror())
                .thenApply(RepositoryTransfers::bounded)
                .thenCompose(have -> home.transfer()
                        .thenCompose(from -> lend(transport, have, from)
                                .whenComplete((start, failure) -> from.close(Transfer.over())))
                        .exceptionallyCompose(failure -> again
                                        && !have.isEmpty()
                                        && Reason.cause(failure) instanceof BrigException refusal
                                        && refusal.code() == ErrorCode.WORKSPACE_UNREADABLE
                                ? transport(transport, false)
                                : CompletableFuture.failedFuture(Reason.cause(failure))));
    }

    /** The other host is not trusted to say little. */
    private static List<String> bounded(MirrorAnswer answer) {
        return answer.commits().stream().limit(MirrorAnswer.COMMITS_MAX).toList();
    }

    private CompletionStage<MirrorStart> lend(Transport transport, List<String> have, Transfer from) {
        from.send(new TransferRequest.Lend(transport.request(), transport.asker(), have));
        return from.answer(TransferRequest.Lent.class).thenCompose(lent -> {
            if (lent.bytes() == 0) {
                return CompletableFuture.completedFuture(lent.start());
            }
            logger.info("bringing {} bytes of a repository to the host {}", lent.bytes(), transport.host());
            MirrorStart start = lent.start();
            return transport
                    .far()
                    .transfer()
                    .thenCompose(to -> {
                        to.send(new TransferRequest.Receive(start.mirror(), start.commit(), lent.head(), lent.bytes()));
                        LongConsumer passed = count -> transport.tell(count, lent.bytes());
                        return from.relay(to, lent.bytes(), passed, Done.class)
                                .whenComplete((done, failure) -> to.close(Transfer.over()));
                    })
                    .thenApply(done -> start);
        });
    }

    /** Applies the changes of a spawn on another host to the repository that was lent to it. */
    CompletionStage<ApplyAnswer> apply(WorkerAgent far, String spawnId, boolean check, List<String> allow) {
        return far.transfer()
                .thenCompose(from -> apply(from, spawnId, check, allow)
                        .whenComplete((answer, failure) -> from.close(Transfer.over())));
    }

    private CompletionStage<ApplyAnswer> apply(Transfer from, String spawnId, boolean check, List<String> allow) {
        from.send(new TransferRequest.Changes(spawnId));
        return from.answer(TransferRequest.Outgoing.class)
                .thenCompose(patch -> home.transfer().thenCompose(to -> {
                    to.send(new TransferRequest.Apply(spawnId, check, allow, patch.bytes()));
                    return from.relay(to, patch.bytes(), count -> {}, ApplyAnswer.class)
                            .whenComplete((answer, failure) -> to.close(Transfer.over()));
                }))
                .thenCompose(answer -> {
                    from.send(new TransferRequest.Settled(answer.applied()));
                    // The repository has it, whether or not the other host gets to know.
                    return from.answer(Done.class).handle((done, lost) -> answer);
                });
    }

    /** Keeps the changes of a spawn at home, whose machine will be gone. */
    CompletionStage<Void> keep(WorkerAgent far, String spawnId) {
        return far.transfer()
                .thenCompose(from -> keep(from, spawnId).whenComplete((kept, failure) -> from.close(Transfer.over())));
    }

    private CompletionStage<Void> keep(Transfer from, String spawnId) {
        from.send(new TransferRequest.Changes(spawnId));
        return from.answer(TransferRequest.Outgoing.class)
                .thenCompose(patch -> home.transfer().thenCompose(to -> {
                    to.send(new TransferRequest.Keep(spawnId, patch.bytes()));
                    return from.relay(to, patch.bytes(), count -> {}, Done.class)
                            .whenComplete((answer, failure) -> to.close(Transfer.over()));
                }))
                .thenAccept(kept -> from.send(new TransferRequest.Settled(false)));
    }
}
