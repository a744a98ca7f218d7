package brig.loadtests.chaos;

import brig.loadtests.client.Session;
import brig.loadtests.client.StreamTransport;
import brig.loadtests.client.Target;
import brig.loadtests.client.Transcript;
import brig.loadtests.client.Violation;
import brig.loadtests.client.Workload;
import brig.loadtests.conformance.Product;
import brig.protocol.frame.Frame;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs workers in a number of slots, one after another in each, with readers over all transports that connect and
 * disconnect at random, while parts of Brig are killed, or its disk is full or read-only. At the end every reader has
 * each frame of its session once, or was told of its gaps and their reasons; readers of one session agree. One of the
 * readers is the {@link Captain}: each of its messages ran once, or the stream reports it lost.
 *
 * <p>Decision 0043.
 */
final class Storm {
    /** A fault to inject. */
    enum Fault {
        GATEWAY,
        WORKER_AGENT,
        BOTH,
        FULL_DISK,
        READ_ONLY
    }

    /** The gateway dies most often, since readers and captains use it alone. */
    static final List<Fault> KILLS =
            List.of(Fault.GATEWAY, Fault.WORKER_AGENT, Fault.BOTH, Fault.GATEWAY, Fault.GATEWAY);
    /** Including faults that need {@link Product#onSmallDisk}. */
    static final List<Fault> ALL = Stream.concat(KILLS.stream(), Stream.of(Fault.FULL_DISK, Fault.READ_ONLY))
            .toList();

    /**
     * @param seconds how long it lasts at least: it ends when each fault was injected
     * @param faults the faults to choose from
     */
    public record Plan(int workers, int readers, long seconds, long seed, List<Fault> faults) {}

    /** Sums of all observations. Guarded by itself. */
    static final class Outcome {
        private final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
        private final List<String> violations = new ArrayList<>();
        private long sessions;
        private long completed;
        private long connections;
        private long frames;
        private long gaps;
        private long restarts;
        private long lost;
        private long doubled;
        private long untold;
        private long messages;
        private long repeated;
        private long run;
        private long toldLost;

        synchronized boolean isWell() {
            return lost + doubled + untold == 0 && violations.isEmpty();
        }

        synchronized StormReport report() {
            return new StormReport(
                    new StormReport.Faults(
                            faults.get(Fault.GATEWAY),
                            faults.get(Fault.WORKER_AGENT),
                            faults.get(Fault.BOTH),
                            faults.get(Fault.FULL_DISK),
                            faults.get(Fault.READ_ONLY)),
                    sessions,
                    completed,
                    connections,
                    frames,
                    gaps,
                    restarts,
                    messages,
                    repeated,
                    run,
                    toldLost,
                    lost,
                    doubled,
                    untold,
                    List.copyOf(violations));
        }
    }

    private static final long BETWEEN_MS_MIN = 1_000;
    private static final int BETWEEN_MS_SPREAD = 3_000;
    private static final long DISK_MS = 3_000;
    private static final long PATIENCE_SECONDS = 120;
    private static final List<StreamTransport> WAYS =
            List.of(StreamTransport.UNIX, StreamTransport.WEBSOCKET, StreamTransport.MANY, StreamTransport.SSE);
    /** A permanent refusal stays the answer. */
    private static final int TRIES_PER_KEY = 50;

    /** Reasons of an end that the gateway said, since the worker's own was lost. */
    private static final List<String> ENDS_OF_A_PART = List.of("record_lost", "worker_lost", "reconcile_timeout");

    private static final int BURST_LINES = 20;
    private static final int LINE_BYTES = 60;

    private final Product product;
    private final Plan plan;
    private final Consumer<String> said;
    private final Random random;
    private final Outcome outcome = new Outcome();
    private final long endNanos;
    /** Nothing is injected any more. */
    private volatile boolean over;

    private volatile long overNanos;

    /** @param said receives the actions, for people */
    public Storm(Product product, Plan plan, Consumer<String> said) {
        this.product = product;
        this.plan = plan;
        this.said = said;
        this.random = new Random(plan.seed());
        this.endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(plan.seconds());
    }

    public Outcome run() throws IOException, InterruptedException, ExecutionException {
        Target target = product.target();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> places = new ArrayList<>();
            for (int i = 0; i < plan.workers(); i++) {
                Random own = new Random(plan.seed() + i + 1);
                places.add(threads.submit(() -> {
                    work(target, threads, own);
                    return null;
                }));
            }
            try {
                rage();
            } finally {
                overNanos = System.nanoTime();
                over = true;
            }
            for (Future<?> place : places) {
                place.get();
            }
        }
        return outcome;
    }

    /** Injects each fault once, however long that takes, then others at random until the time is up. */
    private void rage() throws IOException, InterruptedException {
        int faults = plan.faults().size();
        for (int next = 0; next < faults || System.nanoTime() < endNanos; next++) {
            TimeUnit.MILLISECONDS.sleep(BETWEEN_MS_MIN + random.nextInt(BETWEEN_MS_SPREAD));
            strike(plan.faults().get(next < faults ? next : random.nextInt(faults)));
        }
    }

    private boolean isTooLate() {
        return over && System.nanoTime() - overNanos > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    }

    private void strike(Fault fault) throws IOException, InterruptedException {
        said.accept(fault.name().toLowerCase(Locale.ROOT));
        switch (fault) {
            case GATEWAY -> product.restart();
            case WORKER_AGENT -> product.killWorkerAgent();
            case BOTH -> {
                product.killWorkerAgent();
                product.restart();
            }
            case FULL_DISK -> spoil("fill", "empty");
            case READ_ONLY -> spoil("lock", "unlock");
        }
        synchronized (outcome) {
            outcome.faults.merge(fault, 1, Integer::sum);
        }
    }

    private void spoil(String begin, String end) throws IOException, InterruptedException {
        product.disk(begin);
        TimeUnit.MILLISECONDS.sleep(DISK_MS);
        product.disk(end);
    }

    private void work(Target target, ExecutorService threads, Random own)
            throws InterruptedException, ExecutionException {
        boolean isLast = false;
        while (!isLast) {
            // The last session begins when nothing is injected any more, so that its messages can run.
            isLast = over;
            Workload work = new Workload(1, 20 + own.nextInt(60), BURST_LINES, LINE_BYTES, "0.1");
            Session session = spawn(target, work, own);
            if (session == null) {
                synchronized (outcome) {
                    outcome.violations.add("no session began in " + PATIENCE_SECONDS + " s after the last fault");
                }
                return;
            }
            Captain captain = new Captain(session, new Random(own.nextLong()));
            List<ResumingReader> readers = new ArrayList<>();
            List<Future<Boolean>> reading = new ArrayList<>();
            int captains = own.nextInt(plan.readers());
            for (int i = 0; i < plan.readers(); i++) {
                ResumingReader reader = new ResumingReader(
                        session,
                        WAYS.get(i % WAYS.size()),
                        new Random(own.nextLong()),
                        i == captains ? captain : ResumingReader.watcher(session));
                readers.add(reader);
                reading.add(threads.submit(() -> reader.run(this::isTooLate)));
            }
            for (int i = 0; i < readers.size(); i++) {
                try {
                    if (!reading.get(i).get()) {
                        report(session, readers.get(i), "did not get the end");
                    }
                } catch (ExecutionException e) {
                    report(session, readers.get(i), String.valueOf(e.getCause()));
                }
            }
            judge(session, work.output() + captain.output(), captain, readers);
            judge(session, captain, readers.get(captains).transcript());
        }
    }

    /**
     * Requests a spawn until there is one, repeating the key: an answer lost in a kill must not leave an unknown spawn.
     * Null when it is too late.
     */
    private @Nullable Session spawn(Target target, Workload work, Random own) throws InterruptedException {
        while (!isTooLate()) {
            String key = new UUID(own.nextLong(), own.nextLong()).toString();
            for (int i = 0; i < TRIES_PER_KEY && !isTooLate(); i++) {
                try {
                    return target.spawn(work, false, key);
                } catch (IOException | Violation down) {
                    TimeUnit.MILLISECONDS.sleep(BETWEEN_MS_MIN / 5);
                }
            }
        }
        return null;
    }

    private void report(Session session, ResumingReader reader, String what) {
        synchronized (outcome) {
            outcome.violations.add(session.id() + " over " + reader.way() + " behind frame "
                    + (reader.transcript().next() - 1) + ": " + what + "; the spawn is " + state(session));
        }
    }

    private static String state(Session session) {
        try {
            return session.view().text("state", "");
        } catch (IOException | Violation none) {
            return "not to be seen: " + none.getMessage();
        }
    }

    private void judge(Session session, String output, Captain captain, List<ResumingReader> readers) {
        synchronized (outcome) {
            outcome.sessions++;
            ResumingReader first = readers.getFirst();
            for (ResumingReader reader : readers) {
                Transcript all = reader.transcript();
                outcome.connections += reader.connections();
                outcome.frames += all.hashes().size();
                outcome.gaps += all.gaps().size();
                outcome.restarts += reader.restarts();
                outcome.doubled += reader.doubled();
                outcome.untold += reader.untold();
                boolean same = !reader.epoch().equals(first.epoch())
                        || all.hashes().entrySet().stream()
                                .allMatch(frame -> Objects.equals(
                                        first.transcript().hashes().getOrDefault(frame.getKey(), frame.getValue()),
                                        frame.getValue()));
                boolean completed = captain.isSatisfied();
                boolean whole = isWhole(all, output, completed);
                outcome.completed += completed && reader == first ? 1 : 0;
                if (!same || !whole) {
                    outcome.lost++;
                    outcome.violations.add(session.id() + " over " + reader.way()
                            + (same
                                    ? ": what the agent wrote is not whole, and nothing was said"
                                    : ": not what another reader got"));
                }
            }
        }
    }

    /**
     * Whether a reader has all that the agent wrote, or was told what it lacks: by a gap, or by an end that says that
     * the rest is lost. A reader that comes back after a restart may find such an end where others had read the whole.
     */
    static boolean isWhole(Transcript all, String output, boolean completed) {
        boolean mayBreakOff = !completed
                || all.frames(Frame.State.class).stream()
                        .anyMatch(state -> state.isTerminated() && ENDS_OF_A_PART.contains(state.reason()));
        return !all.gaps().isEmpty()
                || (mayBreakOff ? output.startsWith(all.text().toString()) : output.contentEquals(all.text()));
    }

    private void judge(Session session, Captain captain, Transcript all) {
        Captain.Tally tally = captain.tally(all);
        synchronized (outcome) {
            outcome.messages += tally.sent();
            outcome.repeated += captain.repeats();
            outcome.run += tally.run();
            outcome.toldLost += tally.toldLost();
            outcome.doubled += tally.doubled();
            outcome.untold += tally.untold();
            if (tally.doubled() + tally.untold() > 0) {
                outcome.violations.add(session.id() + ": its messages are " + tally);
            }
        }
    }
}
