package brig.loadtests.conformance;

import brig.loadtests.client.Http;
import brig.loadtests.client.SpawnBody;
import brig.loadtests.client.StreamTransport;
import brig.loadtests.client.Target;
import brig.loadtests.client.Violation;
import brig.loadtests.conformance.Check.Needs;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Spawn requests over HTTP and their repetition. */
final class SpawnChecks {
    private static final Set<StreamTransport> SSE = Set.of(StreamTransport.SSE);
    private static final List<String> FIRST =
            List.of("spawn_id", "task_id", "auth_token", "watcher_token", "io_socket");

    private SpawnChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(
                        "at-once",
                        "4.3",
                        "A spawn is answered at once: when it has a place and is on disk",
                        "202 with the spawn and where it is shown; waited for, 201",
                        SSE,
                        Needs.NOTHING,
                        SpawnChecks::atOnce),
                new Check(
                        "repeat",
                        "4.5",
                        "it gets the first answer, tokens included",
                        "the same request_id: the same spawn; with another request a conflict",
                        SSE,
                        Needs.NOTHING,
                        SpawnChecks::repeat));
    }

    private static Http.Answer post(Target target, String query, SpawnBody request) throws IOException {
        return target.ask("POST /api/v1/spawns" + query, request.text());
    }

    private static void end(Target target, JsonObject spawn) throws IOException {
        target.ask("DELETE /api/v1/spawns/" + spawn.text("spawn_id", ""), "");
    }

    private static void atOnce(Target target, StreamTransport way) throws IOException {
        Http.Answer answer = post(target, "", target.body());
        Violation.requireEqual(202, answer.status(), "the answer to who does not wait");
        Violation.requireEqual("requested", answer.body().text("status", ""), "the status of the spawn");
        String location = answer.head().header("location");
        Violation.requireEqual("/api/v1/spawns/" + answer.body().text("spawn_id", ""), location, "Location");
        Violation.requireEqual(200, target.ask("GET " + location, "").status(), "the answer of Location");
        end(target, answer.body());
        Http.Answer waited = post(target, "?wait=60s", target.body());
        Violation.requireEqual(201, waited.status(), "the answer to who waits");
        Violation.requireEqual("spawned", waited.body().text("status", ""), "the status of the spawn");
        end(target, waited.body());
    }

    private static void repeat(Target target, StreamTransport way) throws IOException {
        SpawnBody claim = target.body().claimedAs(UUID.randomUUID().toString());
        Http.Answer first = post(target, "?wait=60s", claim);
        Http.Answer again = post(target, "?wait=60s", claim);
        Violation.requireEqual(201, again.status(), "the answer to the repetition");
        for (String field : FIRST) {
            Violation.requireEqual(first.body().text(field, ""), again.body().text(field, ""), field);
        }
        Http.Answer conflict = post(target, "?wait=60s", claim.with(null, true));
        Violation.requireEqual("IDEMPOTENCY_CONFLICT", conflict.code(), "the code of another request under that id");
        Violation.requireEqual(422, conflict.status(), "the status of another request under that id");
        end(target, first.body());
    }
}
