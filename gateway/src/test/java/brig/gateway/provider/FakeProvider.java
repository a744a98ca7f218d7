package brig.gateway.provider;

import brig.gateway.deploy.FakeProcesses;
import brig.gateway.deploy.Processes;
import brig.gateway.deploy.Tail;
import brig.gateway.joint.FarEnd;
import brig.gateway.time.HandTimers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A provider whose time is a test's, which loses, delays and refuses as a seed says. */
final class FakeProvider implements Provider {
    /** How likely faults are, in percent. */
    int faults;
    /** Whether it can pause. */
    boolean pauses;
    /** How long a call takes at most, and how much later a lost one may have its effect. */
    static final int CALL_MS = 2_000;

    static final int LATE_MS = 60_000;
    static final int LAG_MS = 30_000;

    private static final String LOOK =
            "brig-home /home/sprite\nbrig-system Linux\nbrig-machine x86_64\nbrig-libc glibc 2.36\n"
                    + "brig-free-kib 9999999\nbrig-payload p\nbrig-end\n";

    /** What the provider has. Only living sandboxes are in it. */
    final Map<String, Sandbox> sandboxes = new LinkedHashMap<>();
    /** How many creates had an effect, by request_id. */
    final Map<String, Integer> creates = new HashMap<>();

    final List<String> destroyed = new ArrayList<>();
    /** How many programs and connections were begun. */
    int uses;

    private final Map<String, Long> changedMs = new HashMap<>();
    private final Map<String, Sandbox> former = new HashMap<>();
    private final boolean uniqueNames;
    private final Random random;
    private final HandTimers timers;
    private final LongSupplier nowMs;
    private int ids;

    FakeProvider(boolean uniqueNames, Random random, HandTimers timers, LongSupplier nowMs) {
        this.uniqueNames = uniqueNames;
        this.random = random;
        this.timers = timers;
        this.nowMs = nowMs;
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(uniqueNames, LAG_MS, pauses, false, false);
    }

    private boolean isFault() {
        return random.nextInt(100) < faults;
    }

    private <T> CompletionStage<T> answer(CompletableFuture<T> answer, Runnable tell) {
        timers.after(random.nextInt(CALL_MS), tell);
        return answer;
    }

    private static ProviderFailure failure(ProviderFailure.Kind kind) {
        return new ProviderFailure(kind, "as the seed says", kind == ProviderFailure.Kind.LIMITED ? 3_000 : 0);
    }

    /** One of somebody else, or of an earlier life of ours. */
    void plant(String name) {
        put(new Sandbox(name, "id" + ids++, Sandbox.State.RUNNING, nowMs.getAsLong(), Map.of()));
    }

    private void put(Sandbox sandbox) {
        sandboxes.put(sandbox.id(), sandbox);
        changedMs.put(sandbox.id(), nowMs.getAsLong());
    }

    private @Nullable ProviderFailure make(Order order) {
        if (uniqueNames
                && sandboxes.values().stream().anyMatch(one -> one.name().equals(order.name()))) {
            return null;
        }
        creates.merge(String.valueOf(order.labels().get("request_id")), 1, Integer::sum);
        put(new Sandbox(order.name(), "id" + ids++, Sandbox.State.RUNNING, nowMs.getAsLong(), order.labels()));
        return null;
    }

    @Override
    public CompletionStage<Sandbox> create(Order order) {
        CompletableFuture<Sandbox> answer = new CompletableFuture<>();
        if (!isFault()) {
            return answer(answer, () -> {
                make(order);
                answer.complete(named(order.name()));
            });
        }
        switch (random.nextInt(5)) {
            case 0 -> timers.after(1, () -> answer.completeExceptionally(failure(ProviderFailure.Kind.LIMITED)));
            case 1 -> timers.after(1, () -> answer.completeExceptionally(failure(ProviderFailure.Kind.UNREACHED)));
            case 2 -> timers.after(1, () -> answer.completeExceptionally(failure(ProviderFailure.Kind.LOST)));
            case 3 -> {
                make(order);
                timers.after(1, () -> answer.completeExceptionally(failure(ProviderFailure.Kind.LOST)));
            }
            default -> {
                timers.after(random.nextInt(LATE_MS), () -> make(order));
                timers.after(1, () -> answer.completeExceptionally(failure(ProviderFailure.Kind.LOST)));
            }
        }
        return answer;
    }

    @Override
    public CompletionStage<Sandbox> finish(Sandbox sandbox, Order order) {
        CompletableFuture<Sandbox> answer = new CompletableFuture<>();
        boolean lost = isFault();
        return answer(answer, () -> {
            if (lost) {
                answer.completeExceptionally(failure(ProviderFailure.Kind.LOST));
            } else {
                answer.complete(sandbox);
            }
        });
    }

    private Sandbox named(String name) {
        return sandboxes.values().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** What it shows: changes may be as old as the lag. */
    private List<Sandbox> show() {
        boolean lags = isFault();
        long nowMs = this.nowMs.getAsLong();
        List<Sandbox> all = new ArrayList<>(sandboxes.values().stream()
                .filter(one -> !lags || nowMs - changedMs.getOrDefault(one.id(), 0L) > LAG_MS)
                .toList());
        if (lags) {
            former.values().stream()
                    .filter(one -> nowMs - changedMs.getOrDefault(one.id(), 0L) < LAG_MS)
                    .forEach(all::add);
        }
        return all;
    }

    @Override
    public CompletionStage<@Nullable Sandbox> find(String name) {
        CompletableFuture<@Nullable Sandbox> answer = new CompletableFuture<>();
        if (isFault() && random.nextBoolean()) {
            return answer(answer, () -> answer.completeExceptionally(failure(ProviderFailure.Kind.LOST)));
        }
        return answer(
                answer,
                () -> answer.complete((uniqueNames ? List.copyOf(sandboxes.values()) : show())
                        .stream()
                                .filter(one -> one.name().equals(name))
                                .findFirst()
                                .orElse(null)));
    }

    @Override
    public CompletionStage<List<Sandbox>> list(String prefix) {
        CompletableFuture<List<Sandbox>> answer = new CompletableFuture<>();
        if (isFault() && random.nextBoolean()) {
            return answer(answer, () -> answer.completeExceptionally(failure(ProviderFailure.Kind.UNREACHED)));
        }
        // Some providers know no prefixes: all are shown.
        return answer(answer, () -> answer.complete(show()));
    }

    @Override
    public CompletionStage<Void> destroy(Sandbox sandbox) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        boolean fault = isFault();
        boolean effect = !fault || random.nextBoolean();
        return answer(answer, () -> {
            if (effect && sandboxes.remove(sandbox.id()) != null) {
                destroyed.add(sandbox.name());
                former.put(sandbox.id(), sandbox);
                changedMs.put(sandbox.id(), nowMs.getAsLong());
            }
            if (fault) {
                answer.completeExceptionally(failure(ProviderFailure.Kind.LOST));
            } else {
                answer.complete(null);
            }
        });
    }

    @Override
    public Processes.Running run(
            Sandbox sandbox, List<String> command, Processes.@Nullable Input input, Processes.Listener listener) {
        uses++;
        String words = String.join(" ", command);
        boolean works = isRunning(sandbox) && !isFault();
        String out = words.contains(" start ")
                ? "{\"socket\":\"/x/link.sock\",\"version\":\"1\",\"pid\":7}\n"
                : words.contains("brig-home") ? LOOK : "";
        timers.after(
                1 + random.nextInt(CALL_MS),
                () -> listener.handleEnded(new Processes.Ended(
                        works ? 0 : Processes.NOT_STARTED, works ? FakeProcesses.tail(out) : Tail.NONE, Tail.NONE)));
        return new Processes.Running() {
            @Override
            public void end() {}

            @Override
            public Tail errors() {
                return Tail.NONE;
            }
        };
    }

    private boolean isRunning(Sandbox sandbox) {
        Sandbox now = sandboxes.get(sandbox.id());
        return now != null && now.state() == Sandbox.State.RUNNING;
    }

    /** Whether a dial would succeed is asked by {@link FakeSockets}. */
    record Dialled(Sandbox sandbox, String token) implements FarEnd.Opener {
        @Override
        public FarEnd open() throws IOException {
            throw new IOException("nothing is dialled here");
        }
    }

    boolean canDial(Sandbox sandbox) {
        return isRunning(sandbox) && !isFault();
    }

    @Override
    public FarEnd.Opener dial(Sandbox sandbox, int port, String path, Map<String, String> headers) {
        uses++;
        return new Dialled(sandbox, String.valueOf(headers.get("X-Brig-Link")));
    }

    private CompletionStage<Void> become(Sandbox sandbox, Sandbox.State state) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        if (isFault()) {
            return answer(answer, () -> answer.completeExceptionally(failure(ProviderFailure.Kind.LOST)));
        }
        return answer(answer, () -> {
            put(new Sandbox(sandbox.name(), sandbox.id(), state, sandbox.createdMs(), sandbox.labels()));
            answer.complete(null);
        });
    }

    @Override
    public CompletionStage<Void> pause(Sandbox sandbox) {
        return become(sandbox, Sandbox.State.PAUSED);
    }

    @Override
    public CompletionStage<Void> resume(Sandbox sandbox) {
        return become(sandbox, Sandbox.State.RUNNING);
    }

    @Override
    public void close() {}
}
