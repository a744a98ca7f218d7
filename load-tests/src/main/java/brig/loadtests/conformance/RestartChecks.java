package brig.loadtests.conformance;

import brig.loadtests.client.Event;
import brig.loadtests.client.OpenRequest;
import brig.loadtests.client.Reader;
import brig.loadtests.client.Session;
import brig.loadtests.client.StreamTransport;
import brig.loadtests.client.Target;
import brig.loadtests.client.Transcript;
import brig.loadtests.client.Violation;
import brig.loadtests.client.Workload;
import brig.loadtests.conformance.Check.Needs;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Streams across a kill and a restart of the gateway. */
final class RestartChecks {
    private static final Workload WORK = new Workload(1, 40, 2, 20, "0.03");

    private RestartChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(
                        "restart",
                        "2.1",
                        "The epoch changes only if the stream itself, or its newest part, was lost.",
                        "after a restart: the same token, epoch and next number, and nothing lost",
                        StreamTransport.ALL,
                        Needs.OWN_SERVER,
                        RestartChecks::restart),
                new Check(
                        "restart-record",
                        "5.4",
                        "A stream that has ended can be read as long as its record is kept.",
                        "after a restart: an ended stream is read whole, with its old token",
                        Set.of(StreamTransport.SSE),
                        Needs.OWN_SERVER,
                        RestartChecks::record),
                new Check(
                        "restart-stop",
                        "5.4",
                        "with the code `SHUTTING_DOWN`, and a WebSocket is closed with 4001",
                        "an orderly stop: state terminated, or a last word with the position",
                        StreamTransport.ALL,
                        Needs.OWN_SERVER,
                        RestartChecks::stop));
    }

    private static void stop(Target target, StreamTransport way) throws IOException {
        try (Session session = target.spawn(null, false);
                Reader reader = way.open(session, OpenRequest.watcher(session))) {
            Transcript all = Transcript.fresh().open(reader).readTo(reader, 1);
            control(target).stop();
            boolean terminated = all.readOrCut(reader, all::terminated);
            if (!terminated) {
                all.requireLastWord("SHUTTING_DOWN");
            }
            Event.End end = reader.end();
            Violation.require(end.orderly(), "the connection was cut");
            int code = way == StreamTransport.MANY || (way == StreamTransport.WEBSOCKET && !terminated)
                    ? 4001
                    : way == StreamTransport.WEBSOCKET ? 1000 : 0;
            Violation.requireEqual(code, end.code(), "the close code");
        }
    }

    private static void restart(Target target, StreamTransport way) throws IOException, InterruptedException {
        try (Session session = target.spawn(WORK, true)) {
            Transcript all = Transcript.from(1);
            try (Reader reader = way.open(session, OpenRequest.watcher(session).from(1))) {
                all.open(reader).readTo(reader, 8);
                control(target).restart();
                all.readOrCut(reader, all::terminated);
            }
            Violation.require(!all.terminated(), "the worker did not outlive the restart");
            session.await(
                    "the session is back",
                    () -> !session.view().text("state", "").equals("unknown"));
            try (Reader reader = way.open(session, OpenRequest.watcher(session).from(all.next()))) {
                all.open(reader).readToEnd(reader);
            }
            all.requireOutput(WORK.output());
        }
    }

    private static void record(Target target, StreamTransport way) throws IOException, InterruptedException {
        Workload work = Workload.lines(200);
        try (Session session = target.spawn(work, true)) {
            session.awaitEnd();
            control(target).restart();
            try (Reader reader = way.open(session, OpenRequest.watcher(session))) {
                Transcript.from(1).open(reader).readToEnd(reader).requireOutput(work.output());
            }
        }
    }

    private static Target.Control control(Target target) {
        return Objects.requireNonNull(target.control());
    }
}
