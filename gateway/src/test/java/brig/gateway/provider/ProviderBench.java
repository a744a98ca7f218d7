package brig.gateway.provider;

import brig.gateway.deploy.Payload;
import brig.gateway.joint.FarEnd;
import brig.gateway.joint.LocalSockets;
import brig.gateway.time.HandTimers;
import brig.gateway.worker.AgentLinks;
import brig.gateway.worker.ControlLink;
import brig.gateway.worker.Reach;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sandboxes with nothing real around them: a provider, a record of sessions that outlives gateways, and a clock that a test
 * drives.
 */
final class ProviderBench {
    static final String GATEWAY = "0123456789ab";
    static final String NAME = "cloud";
    static final long LIFE_MS = 4 * 3_600_000L;
    private static final long BEGIN_MS = 1_767_225_600_000L;
    private static final WorkerAgent NO_AGENT = (WorkerAgent) Proxy.newProxyInstance(
            ProviderBench.class.getClassLoader(),
            new Class<?>[] {WorkerAgent.class},
            (proxy, method, arguments) -> null);

    /** A session as its record has it. */
    static final class Session {
        final String spawnId;
        final long createdMs;
        boolean live = true;
        boolean ran;

        @Nullable
        ErrorCode failure;

        Session(String spawnId, long createdMs) {
            this.spawnId = spawnId;
            this.createdMs = createdMs;
        }
    }

    final HandTimers time = new HandTimers();
    final Random random;
    final FakeProvider provider;
    /** The record; it outlives gateways. */
    final Map<String, Session> record = new LinkedHashMap<>();

    final List<String> told = new ArrayList<>();
    Sandboxes sandboxes;
    private long passedMs;
    private long epochs;
    /** Counts gateways: what an earlier one hears is lost. */
    private int life;

    ProviderBench(boolean uniqueNames, long seed) {
        random = new Random(seed);
        provider = new FakeProvider(uniqueNames, random, time, this::nowMs);
        sandboxes = start();
    }

    long nowMs() {
        return BEGIN_MS + passedMs;
    }

    void pass(long ms) {
        for (long left = ms; left > 0; left -= Math.min(left, 250)) {
            time.pass(Math.min(left, 250));
            passedMs += Math.min(left, 250);
        }
    }

    private Sandboxes start() {
        int mine = ++life;
        Sandboxes made = new Sandboxes(
                new Sandboxes.Services(
                        new SandboxLink.Services(
                                new FakeSockets(mine),
                                new OnePayload(),
                                (delayMs, task) -> time.after(delayMs, () -> {
                                    if (mine == life) {
                                        task.run();
                                    }
                                }),
                                this::nowMs,
                                bound -> bound <= 0 ? 0 : random.nextLong(bound),
                                (socket, reach, listener) -> open(socket, listener),
                                () -> ++epochs),
                        GATEWAY,
                        Path.of("/run"),
                        name -> "key of " + name,
                        new Ledger()),
                List.of(new Sandboxes.Offer(NAME, provider, LIFE_MS, 0, true, 0.5)));
        made.open(new Listener(mine));
        return made;
    }

    /** The gateway is killed, and another one starts with the record of the first. */
    void restart() {
        links.clear();
        sandboxes = start();
        // As the reconciler does it: what has not run within two minutes is given up.
        record.values().stream().filter(one -> one.live && !one.ran).forEach(one -> {
            int mine = life;
            time.after(Provisioning.UNKNOWN_MS, () -> {
                if (mine == life && one.live && !one.ran) {
                    end(one, ErrorCode.RECONCILE_TIMEOUT);
                }
            });
        });
    }

    Session begin() {
        Session session = new Session(Ids.newSpawnId(nowMs()), nowMs());
        record.put(session.spawnId, session);
        int mine = life;
        sandboxes
                .provide(session.spawnId, NAME, null, () -> !session.live, doubt -> told.add("doubt " + doubt))
                .whenComplete((ready, failure) -> {
                    if (mine != life) {
                        return;
                    }
                    if (failure == null) {
                        session.ran = true;
                    } else if (session.live) {
                        Throwable cause = brig.protocol.Reason.cause(failure);
                        end(session, cause instanceof BrigException why ? why.code() : ErrorCode.INTERNAL);
                    }
                });
        return session;
    }

    void end(Session session, @Nullable ErrorCode failure) {
        session.live = false;
        session.failure = failure;
        var _ = sandboxes.end(session.spawnId);
    }

    /** The ends of joints, by their sockets. */
    private final Map<Path, Consumer<String>> ends = new HashMap<>();

    /** The connection to the session's sandbox breaks. */
    void cut(Session session, String why) {
        ends.getOrDefault(Path.of("/run", Sandboxes.hostOf(session.spawnId) + ".sock"), said -> {})
                .accept(why);
    }

    /** The control links, by their sockets. */
    final Map<Path, ControlLink.Listener> links = new HashMap<>();

    private AgentLinks.AgentLink open(Path socket, ControlLink.Listener listener) {
        links.put(socket, listener);
        return new AgentLinks.AgentLink(NO_AGENT, () -> {}, () -> {});
    }

    private final class Ledger implements Sandboxes.Ledger {
        private Sandboxes.Entry entry(Session session) {
            return new Sandboxes.Entry(session.spawnId, NAME, session.live, session.createdMs);
        }

        @Override
        public Sandboxes.@Nullable Entry find(String spawnId) {
            Session session = record.get(spawnId);
            return session == null ? null : entry(session);
        }

        @Override
        public List<Sandboxes.Entry> live() {
            return record.values().stream()
                    .filter(session -> session.live)
                    .map(this::entry)
                    .toList();
        }
    }

    private final class Listener implements Sandboxes.Listener {
        private final int mine;

        Listener(int mine) {
            this.mine = mine;
        }

        @Override
        public void handleKnown(String host, String provider, WorkerAgent agent, Path socket, Reach reach) {
            told.add("known " + host);
        }

        @Override
        public void handleForgotten(String host, Path socket) {
            told.add("forgotten " + host);
        }

        @Override
        public void handleUp(String host, String instance) {
            told.add("up " + host);
            record.values().stream()
                    .filter(session ->
                            mine == life && Sandboxes.hostOf(session.spawnId).equals(host))
                    .forEach(session -> session.ran = true);
        }

        @Override
        public void handleDown(String host) {
            told.add("down " + host);
        }

        @Override
        public void handleGone(String spawnId, String why) {
            told.add("gone " + why);
            Session session = record.get(spawnId);
            if (mine == life && session != null && session.live) {
                end(session, ErrorCode.WORKER_LOST);
            }
        }

        @Override
        public void handleOverdue(String spawnId) {
            told.add("overdue");
        }
    }

    /** Near ends of links: a dial succeeds if the provider's sandbox is there, and its worker-agent answers at once. */
    final class FakeSockets implements LocalSockets {
        private final int mine;

        FakeSockets(int mine) {
            this.mine = mine;
        }

        @Override
        public CompletionStage<Void> clear(Path socket) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Joint> join(Path socket, FarEnd.Opener far, Consumer<String> ended) {
            CompletableFuture<Joint> made = new CompletableFuture<>();
            time.after(random.nextInt(200), () -> {
                if (mine == life && provider.canDial(((FakeProvider.Dialled) far).sandbox())) {
                    made.complete(() -> {});
                    ends.put(socket, ended);
                    time.after(20, () -> {
                        ControlLink.Listener listener = links.get(socket);
                        if (mine == life && listener != null) {
                            listener.handleUp("instance");
                        }
                    });
                } else {
                    made.completeExceptionally(new BrigException(ErrorCode.INTERNAL, "refused"));
                }
            });
            return made;
        }
    }

    private static final class OnePayload implements Payload {
        @Override
        public CompletionStage<String> name() {
            return CompletableFuture.completedFuture("p");
        }

        @Override
        public CompletionStage<Archive> archive() {
            return CompletableFuture.completedFuture(new Archive(Path.of("/p.tar.gz"), 1));
        }

        @Override
        public String machine() {
            return "x86_64";
        }
    }
}
