package brig.loadtests.conformance;

import brig.loadtests.client.StreamTransport;
import brig.loadtests.client.Target;
import brig.loadtests.client.Violation;
import brig.loadtests.conformance.Check.Needs;
import brig.protocol.BrigException;
import brig.protocol.WireName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * All checks and their execution: sequential, except for checks that mostly wait, which run in parallel. Checks that
 * restart the server come last, when nothing else needs it.
 */
public final class Kit {
    private Kit() {}

    /**
     * The result of a check over one transport.
     *
     * @param fault the server's violation, empty for none
     */
    record Result(Check check, StreamTransport way, Verdict verdict, String fault, long tookMs) {}

    /** The verdict. */
    public enum Verdict implements WireName {
        OK,
        FAIL,
        SKIP;

        @Override
        public String wireName() {
            return name();
        }
    }

    /** Listens to the progress. */
    interface Listener {
        void handleStart(Check check, StreamTransport way);

        void handleResult(Result result);
    }

    private record Task(Check check, StreamTransport way) {}

    public static List<Check> checks() {
        return Stream.of(
                        StreamChecks.all(),
                        PositionChecks.all(),
                        SlowChecks.all(),
                        TokenChecks.all(),
                        AccessChecks.all(),
                        SpawnChecks.all(),
                        LimitChecks.all(),
                        InputChecks.all(),
                        RestartChecks.all())
                .flatMap(List::stream)
                .toList();
    }

    /** The results in the order of the checks. */
    static List<Result> run(List<Check> checks, Target target, Listener listener) {
        List<Task> tasks = checks.stream()
                .flatMap(check -> check.ways().stream().sorted().map(way -> new Task(check, way)))
                .toList();
        List<CompletableFuture<Result>> beside = tasks.stream()
                .filter(task -> task.check().needs() == Needs.TIME)
                .map(task -> CompletableFuture.supplyAsync(
                        () -> run(task, target),
                        work -> Thread.ofPlatform().daemon().start(work)))
                .toList();
        List<Result> results = new ArrayList<>();
        for (Task task : tasks.stream()
                .filter(task -> task.check().needs() != Needs.TIME && !restarts(task))
                .toList()) {
            results.add(heard(task, target, listener));
        }
        for (CompletableFuture<Result> slow : beside) {
            results.add(slow.join());
            listener.handleResult(results.getLast());
        }
        for (Task task : tasks.stream().filter(Kit::restarts).toList()) {
            results.add(heard(task, target, listener));
        }
        return results;
    }

    private static boolean restarts(Task task) {
        return task.check().name().startsWith("restart");
    }

    private static Result heard(Task task, Target target, Listener listener) {
        listener.handleStart(task.check(), task.way());
        Result result = run(task, target);
        listener.handleResult(result);
        return result;
    }

    private static Result run(Task task, Target target) {
        if (task.check().needs() == Needs.OWN_SERVER && target.control() == null) {
            return new Result(task.check(), task.way(), Verdict.SKIP, "needs a server that this program started", 0);
        }
        long start = System.nanoTime();
        String fault = fault(task, target);
        return new Result(
                task.check(),
                task.way(),
                fault.isEmpty() ? Verdict.OK : Verdict.FAIL,
                fault,
                (System.nanoTime() - start) / 1_000_000);
    }

    private static String fault(Task task, Target target) {
        try {
            task.check().body().run(target, task.way());
            return "";
        } catch (Violation violation) {
            return String.valueOf(violation.getMessage());
        } catch (IOException | BrigException | IllegalArgumentException e) {
            return e.toString();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }
}
