package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.api.MessageInfo;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;

/** Sessions on shared hosts that write numbered lines, and what is true of each of them whatever happened. */
final class ClusterSessions {
    private static final int LINES = 600;
    /** The numbers are what a test judges by. */
    private static final String WRITER = "for i in $(seq 1 " + LINES + "); do echo line $i; sleep 0.03; done";

    private static final int SC_UNAVAILABLE = 503;

    private ClusterSessions() {}

    /** Begins one as soon as that gateway knows that the host is in reach. */
    static String begin(Product gateway, String host) throws IOException {
        String request = "{\"agent_config\":{\"name\":\"shell\"},\"once\":true,\"host\":\"" + host + "\",\"prompt\":\""
                + WRITER + "\"}";
        List<Web.Answer> answers = new ArrayList<>();
        try {
            Await.until("a session begins on " + host, () -> {
                answers.add(gateway.web().post("/api/v1/spawns?wait=30s", request));
                return answers.getLast().status() != SC_UNAVAILABLE;
            });
        } catch (AssertionError late) {
            throw new AssertionError("refused: " + answers.getLast().response().body(), late);
        }
        Web.Answer answer = answers.getLast();
        assertEquals(201, answer.status(), answer.response().body());
        return answer.json().text("spawn_id", "");
    }

    static String all() {
        StringBuilder text = new StringBuilder();
        for (int i = 1; i <= LINES; i++) {
            text.append("line ").append(i).append('\n');
        }
        return text.toString();
    }

    /** Its owner told that gateway that it runs, or ran. */
    static void awaitKnown(Product gateway, String id) throws IOException {
        Await.until("the session is known", () -> {
            Web.Answer answer = gateway.web().get("/api/v1/spawns/" + id);
            return answer.status() == 200
                    && !List.of("requested", "spawning").contains(answer.json().text("state", ""));
        });
    }

    static void assertAllReadAt(Product gateway, String id) throws IOException {
        awaitKnown(gateway, id);
        Frames frames = new Frames();
        try (Events events = gateway.web().events(id, "")) {
            frames.readAll(events);
        }
        assertEquals(all(), frames.text());
        assertEquals(0, frames.missing());
    }

    /** The frames of a run. */
    private static String text(MessageInfo message) throws IOException {
        byte[] data = message.getData() == null ? new byte[0] : message.getData();
        try (InputStream lines = message.getHeaders().getFirst("Brig-Deflated") == null
                ? new ByteArrayInputStream(data)
                : new InflaterInputStream(new ByteArrayInputStream(data), new Inflater(true))) {
            return new String(lines.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Everything that was written of that session, from the servers themselves. */
    static void assertWrittenOnce(ClusterSite site, String host, String id) throws Exception {
        Connection nats = site.nats.connect();
        try {
            JetStreamManagement streams = nats.jetStreamManagement();
            long last =
                    streams.getStreamInfo("brig-log-" + host).getStreamState().getLastSequence();
            long next = 1;
            long term = 0;
            StringBuilder written = new StringBuilder();
            for (long at = 1; at <= last; at++) {
                MessageInfo message = streams.getMessage("brig-log-" + host, at);
                if (!String.valueOf(message.getSubject()).endsWith(id)) {
                    continue;
                }
                long its = Long.parseLong(message.getHeaders().getFirst("Brig-Term"));
                assertTrue(its >= term, "an owner of term " + its + " wrote after one of " + term);
                term = its;
                for (String line : text(message).lines().toList()) {
                    JsonObject frame = JsonObject.read(line.getBytes(StandardCharsets.UTF_8));
                    assertEquals(next++, frame.number("seq", 0), "a frame was lost or doubled");
                    if (frame.text("type", "").equals("chunk")) {
                        written.append(frame.text("content", ""));
                    }
                }
            }
            assertEquals(all(), written.toString());
        } finally {
            nats.close();
        }
    }
}
