package brig.loadtests.conformance;

import brig.loadtests.client.Http;
import brig.loadtests.client.OpenRequest;
import brig.loadtests.client.Reader;
import brig.loadtests.client.Session;
import brig.loadtests.client.StreamTransport;
import brig.loadtests.client.Target;
import brig.loadtests.client.Transcript;
import brig.loadtests.client.Violation;
import brig.loadtests.client.Wire;
import brig.loadtests.conformance.Check.Needs;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.frame.AttachOptions;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Exceeded limits: the refusal names the limit and when to retry, and the retry succeeds. */
final class LimitChecks {
    private static final Set<StreamTransport> SSE = Set.of(StreamTransport.SSE);
    private static final long POLL_MS = 20;
    private static final int CONNECTIONS_MAX = 4;

    private LimitChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(
                        "readers-max",
                        "6",
                        "Too many subscribers of this stream.",
                        "one reader more than the limit: MAX_SUBSCRIPTIONS, until another has gone",
                        StreamTransport.ALL,
                        Needs.OWN_SERVER,
                        LimitChecks::readersMax),
                new Check(
                        "workers-max",
                        "6",
                        "All workers of this gateway are in use",
                        "one spawn more than the limit: MAX_WORKERS with a hint, until another has ended",
                        SSE,
                        Needs.OWN_SERVER,
                        LimitChecks::workersMax),
                new Check(
                        "cooldown",
                        "6",
                        "Too soon after the last spawn of this captain.",
                        "a spawn right after another: COOLDOWN, with the time that is left",
                        SSE,
                        Needs.OWN_SERVER,
                        LimitChecks::cooldown),
                new Check(
                        "connections-max",
                        "6",
                        "Too many connections;",
                        "one connection more than the limit: MAX_CONNECTIONS with a hint, until another has gone",
                        Set.of(StreamTransport.SSE, StreamTransport.UNIX),
                        Needs.OWN_SERVER,
                        LimitChecks::connectionsMax));
    }

    private static void readersMax(Target target, StreamTransport way) throws IOException, InterruptedException {
        List<Reader> readers = new ArrayList<>();
        int max = target.scale().readersMax();
        try (Session session = target.spawn(null, false)) {
            for (int i = 0; i < max; i++) {
                readers.add(way.open(session, OpenRequest.watcher(session)));
                Transcript.fresh().open(readers.getLast()).readTo(readers.getLast(), 1);
            }
            try (Reader more = way.open(session, OpenRequest.watcher(session))) {
                Violation.requireEqual("MAX_SUBSCRIPTIONS", more.refusal(), "the answer to reader " + (max + 1));
            }
            readers.removeLast().close();
            session.await("a reader has gone", () -> session.view().number("readers", 0) < max);
            try (Reader more = way.open(session, OpenRequest.watcher(session))) {
                Transcript.fresh().open(more).readTo(more, 1);
            }
        } finally {
            for (Reader reader : readers) {
                reader.close();
            }
        }
    }

    static Target.Limited limited(Target target, String limit, long value) throws IOException {
        return Objects.requireNonNull(target.control()).limited(Map.of(limit, value));
    }

    private static Http.Answer ask(Target target) throws IOException {
        return target.ask("POST /api/v1/spawns?wait=0s", target.body().text());
    }

    /** @return the hint, in seconds */
    private static long requireLater(int status, String code, Http.Answer answer) {
        Violation.requireEqual(code, answer.code(), "the code of the refusal");
        Violation.requireEqual(status, answer.status(), "the status of the refusal");
        long hint = answer.body().number("retry_after_seconds", 0);
        Violation.require(hint > 0, "the refusal has no retry_after_seconds");
        Violation.requireEqual(String.valueOf(hint), answer.head().header("retry-after"), "the header Retry-After");
        return hint;
    }

    private static void workersMax(Target target, StreamTransport way) throws IOException, InterruptedException {
        try (Target.Limited one = limited(target, "workersMax", 1);
                Session session = one.target().spawn(null, false)) {
            requireLater(429, "MAX_WORKERS", ask(one.target()));
            one.target().ask("DELETE /api/v1/spawns/" + session.id(), "");
            session.await("the place is free", () -> ask(one.target()).status() / 100 == 2);
        }
    }

    private static void cooldown(Target target, StreamTransport way) throws IOException {
        try (Target.Limited slow = limited(target, "spawnCooldownMs", 60_000);
                Session session = slow.target().spawn(null, false)) {
            long hint = requireLater(429, "COOLDOWN", ask(slow.target()));
            Violation.require(hint > 50 && hint <= 60, "of 60 s are left " + hint);
            Violation.requireEqual("running", session.view().text("state", ""), "the state of the first");
        }
    }

    private static void connectionsMax(Target target, StreamTransport way) throws IOException, InterruptedException {
        try (Target.Limited few = limited(target, "connectionsMax", CONNECTIONS_MAX);
                Session session = few.target().spawn(null, false)) {
            List<Wire> open = new ArrayList<>();
            try {
                for (int i = 0; i < CONNECTIONS_MAX; i++) {
                    Wire wire = connect(few.target(), way);
                    open.add(wire);
                    if (way == StreamTransport.SSE) {
                        // Over TCP only authenticated connections take a place.
                        Http.send(
                                wire,
                                "GET /api/v1/sessions/" + session.id() + "/stream",
                                few.target().headers(few.target().token()),
                                "");
                        Violation.requireEqual(200, Http.head(wire).status(), "the answer to a reader");
                    }
                }
                requireRefused(few.target(), way);
                open.removeLast().close();
                for (long left = target.scale().patienceMs(); !isTaken(few.target(), way); left -= POLL_MS) {
                    Violation.require(left > 0, "no connection is taken though one has gone");
                    TimeUnit.MILLISECONDS.sleep(POLL_MS);
                }
            } finally {
                for (Wire wire : open) {
                    wire.close();
                }
            }
        }
    }

    private static Wire connect(Target target, StreamTransport way) throws IOException {
        return way == StreamTransport.SSE
                ? target.connect(0)
                : new Wire(
                        UnixDomainSocketAddress.of(
                                Objects.requireNonNull(target.control()).spawnerSocket()),
                        target.scale().patienceMs(),
                        0);
    }

    private static void requireRefused(Target target, StreamTransport way) throws IOException {
        if (way == StreamTransport.SSE) {
            requireLater(503, "MAX_CONNECTIONS", target.ask("GET /api/v1/spawns/nobody", ""));
            return;
        }
        try (Wire wire = connect(target, way)) {
            byte @Nullable [] line = wire.line();
            Violation.require(line != null, "the connection was closed without a word");
            JsonObject refusal = JsonObject.read(Objects.requireNonNull(line));
            Violation.requireEqual("MAX_CONNECTIONS", refusal.text("code", ""), "the code of the refusal");
            Violation.require(refusal.number("retry_after_seconds", 0) > 0, "the refusal has no hint");
            Violation.require(wire.read() < 0, "something stands behind the refusal");
        }
    }

    private static boolean isTaken(Target target, StreamTransport way) throws IOException {
        if (way == StreamTransport.SSE) {
            return target.ask("GET /api/v1/spawns/nobody", "").status() == 404;
        }
        try (Wire wire = connect(target, way)) {
            wire.send(Json.writeLine(new SpawnerRequest.Attach("nobody", AttachOptions.NONE)));
            byte @Nullable [] line = wire.line();
            return line != null && JsonObject.read(line).text("code", "").equals("NOT_FOUND");
        }
    }
}
