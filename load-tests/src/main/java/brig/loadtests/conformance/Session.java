package brig.loadtests.conformance;

import brig.protocol.Fields;
import brig.protocol.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A spawn that was made for a check, ended with it. */
record Session(Target target, String id, String captainToken, String watcherToken, String ioSocket)
        implements AutoCloseable {
    private static final long POLL_MS = 20;

    Fields view() throws IOException {
        Http.Answer answer = target.ask("GET /api/v1/spawns/" + id, "");
        Violation.requireEqual(200, answer.status(), "the answer for the view of a spawn");
        return answer.body();
    }

    long lastSeq() throws IOException {
        return view().number("last_seq", 0, Long.MAX_VALUE, 0);
    }

    /** A question that is asked again until it is answered by yes. */
    interface Question {
        boolean isSo() throws IOException;
    }

    void await(String what, Question question) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(target.scale().patienceMs());
        while (!question.isSo()) {
            Violation.require(System.nanoTime() < deadline, "waited in vain until " + what);
            TimeUnit.MILLISECONDS.sleep(POLL_MS);
        }
    }

    void awaitEnd() throws IOException, InterruptedException {
        await("the spawn has ended", () -> view().text("state", "").equals("terminated"));
    }

    /** Waits until the worker writes no more though it has more: the number of frames stands still. */
    long awaitStandstill() throws IOException, InterruptedException {
        long[] last = {-1, System.nanoTime()};
        await("the worker stands still", () -> {
            long now = lastSeq();
            if (now != last[0]) {
                last[0] = now;
                last[1] = System.nanoTime();
            }
            return now > 1 && System.nanoTime() - last[1] > TimeUnit.MILLISECONDS.toNanos(700);
        });
        return last[0];
    }

    /** The line with which a captain gives work. */
    static String message(Work work) {
        return new String(Json.write(Map.of("role", "user", "content", work.message())), StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        target.ask("DELETE /api/v1/spawns/" + id, "");
    }
}
