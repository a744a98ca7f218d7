package brig.loadtests.client;

import brig.protocol.frame.CaptainLine.UserMessage;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** A spawn made for a check, and ended with it. */
public record Session(Target target, String id, String captainToken, String watcherToken, String ioSocket)
        implements AutoCloseable {
    private static final long POLL_MS = 20;
    private static final long STANDSTILL_MS = 700;

    public JsonObject view() throws IOException {
        Http.Answer answer = target.ask("GET /api/v1/spawns/" + id, "");
        Violation.requireEqual(200, answer.status(), "the answer for the view of a spawn");
        return answer.body();
    }

    public long lastSeq() throws IOException {
        return view().number("last_seq", 0);
    }

    /** A condition that is polled until it holds. */
    public interface Question {
        boolean isSo() throws IOException;
    }

    public void await(String what, Question question) throws IOException, InterruptedException {
        long patienceMs = target.scale().patienceMs();
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMs);
        while (!question.isSo()) {
            Violation.require(System.nanoTime() < deadline, "waited for " + patienceMs + " ms in vain until " + what);
            TimeUnit.MILLISECONDS.sleep(POLL_MS);
        }
    }

    public void awaitEnd() throws IOException, InterruptedException {
        await("the spawn has ended", () -> view().text("state", "").equals("terminated"));
    }

    /** Waits until the worker is blocked with more to write: the number of frames stands still. */
    public long awaitStandstill() throws IOException, InterruptedException {
        long[] last = {-1, System.nanoTime()};
        await("the worker stands still", () -> {
            long now = lastSeq();
            if (now != last[0]) {
                last[0] = now;
                last[1] = System.nanoTime();
            }
            return now > 1 && TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - last[1]) > STANDSTILL_MS;
        });
        return last[0];
    }

    /** The message with which a captain gives work. */
    public static UserMessage message(Workload work) {
        return UserMessage.of(work.message(), null);
    }

    @Override
    public void close() throws IOException {
        target.ask("DELETE /api/v1/spawns/" + id, "");
    }
}
