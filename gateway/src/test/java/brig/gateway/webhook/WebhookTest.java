package brig.gateway.webhook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.SpawnBench;
import brig.gateway.telemetry.Counters;
import brig.gateway.time.FakeTime;
import brig.protocol.BrigException;
import brig.protocol.Ids;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class WebhookTest {
    private static final String SECRET = "0123456789abcdef";

    /** A notice that was sent, and the answer that the test gives. */
    private record Sent(JsonObject body, String timestamp, String signature, CompletableFuture<Integer> answer) {
        String askId() {
            return body.text("ask_id", "");
        }
    }

    private final SpawnBench bench = new SpawnBench();
    private final Spawn spawn = bench.spawn(bench.start("fix"));
    private final FakeTime time = new FakeTime();
    private final List<Sent> sent = new ArrayList<>();
    private final Counters counters = new Counters(System::nanoTime);
    private final AnswerLinks links = new AnswerLinks(time);
    private final Webhook webhook = webhook("https://brig.example.org");

    private Webhook webhook(String publicUrl) {
        return new Webhook(
                new Webhook.Services(
                        (body, timestamp, signature) -> {
                            CompletableFuture<Integer> answer = new CompletableFuture<>();
                            sent.add(new Sent(JsonObject.read(body), timestamp, signature, answer));
                            return answer;
                        },
                        new NoticeSigner(SECRET),
                        time,
                        time,
                        counters),
                links,
                publicUrl);
    }

    private Frame.Ask ask() {
        return AnswerLinksTest.ask(time.nowMs());
    }

    private static Frame.Answered answered(Frame.Ask ask) {
        return new Frame.Answered(ask.askId(), "deny", null, "ann", "http", Frame.Answered.Reason.PERSON);
    }

    @Test
    void shouldSignTheTimeAndTheBody() {
        // openssl: printf '1700000000.{"type":"ask"}' | openssl dgst -sha256 -hmac 0123456789abcdef
        assertEquals(
                "v1=af3acce28532624c28f1a346a8dcf018c95b11115c0fd52265cb7fed56292ebd",
                new NoticeSigner(SECRET).sign("1700000000", "{\"type\":\"ask\"}".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void shouldRefuseASecretThatCanBeGuessedWithoutSayingIt() {
        BrigException refusal = assertThrows(BrigException.class, () -> new NoticeSigner("0123456789abcde"));
        assertFalse(refusal.getMessage().contains("0123456789"));
    }

    @Test
    void shouldSendTheAskAndALinkAndNothingElseOfTheSession() {
        Frame.Ask ask = ask();
        webhook.handleAsk(spawn, ask);
        JsonObject body = sent.getFirst().body();
        assertEquals("ask", body.text("type"));
        assertEquals(ask.askId(), body.text("ask_id"));
        assertEquals(spawn.spawnId(), body.text("spawn_id"));
        assertEquals("fix", body.text("task_id"));
        assertEquals("shell", body.text("profile"));
        assertEquals("rm -rf <build>", body.object("detail").text("command"));
        String url = body.text("answer_url", "");
        assertTrue(url.matches("https://brig\\.example\\.org/answer/brig_[A-Za-z0-9_-]{43}"), url);
        assertEquals(ask, links.find(url.substring(url.lastIndexOf('/') + 1)).ask());
        assertEquals(
                "[type, spawn_id, task_id, profile, ask_id, kind, title, detail, options, deadline, default, answer_url]",
                body.names().toString());
        assertEquals(String.valueOf(time.nowMs() / 1000), sent.getFirst().timestamp());
    }

    @Test
    void shouldSendNoLinkIfNobodyReachesTheGateway() {
        webhook("").handleAsk(spawn, ask());
        assertFalse(sent.getFirst().body().has("answer_url"));
    }

    @Test
    void shouldSendAgainWithGrowingPausesAndGiveUp() {
        webhook.handleAsk(spawn, ask());
        for (long pauseMs : new long[] {1_000, 2_000, 4_000, 8_000}) {
            int tries = sent.size();
            sent.getLast().answer().complete(500);
            time.pass(pauseMs - 1);
            assertEquals(tries, sent.size());
            time.pass(1);
            assertEquals(tries + 1, sent.size());
            assertEquals(String.valueOf(time.nowMs() / 1000), sent.getLast().timestamp());
        }
        assertEquals(Webhook.TRIES_MAX, sent.size());
        sent.getLast().answer().completeExceptionally(new IOException("refused"));
        assertEquals(0, time.pending());
        assertEquals(
                sent.getFirst().body().text("answer_url"), sent.getLast().body().text("answer_url"));
    }

    @Test
    void shouldNotFollowARedirectAndStopWhenTaken() {
        webhook.handleAsk(spawn, ask());
        sent.getLast().answer().complete(302);
        time.pass(1_000);
        sent.getLast().answer().complete(204);
        time.pass(60_000);
        assertEquals(2, sent.size());
    }

    @Test
    void shouldNotSendAgainWhenTheAskIsSettled() {
        Frame.Ask ask = ask();
        webhook.handleAsk(spawn, ask);
        sent.getLast().answer().complete(500);
        webhook.handleSettled(spawn, answered(ask));
        assertEquals(0, time.pending());
        Frame.Ask other = ask();
        webhook.handleAsk(spawn, other);
        webhook.handleSettled(spawn, answered(other));
        sent.getLast().answer().complete(500);
        time.pass(60_000);
        assertEquals(2, sent.size());
    }

    @Test
    void shouldHaveFourOnTheWayAndDropTheOldestOfTooMany() {
        List<Frame.Ask> asks = new ArrayList<>();
        for (int i = 0; i <= Webhook.UNDELIVERED_MAX; i++) {
            asks.add(ask());
            webhook.handleAsk(spawn, asks.getLast());
        }
        assertEquals(Webhook.ON_THE_WAY_MAX, sent.size());
        // The oldest is on its way; it is not sent again.
        sent.getFirst().answer().complete(500);
        time.pass(60_000);
        assertEquals(asks.get(4).askId(), sent.getLast().askId());
        for (int i = 1; i < sent.size(); i++) {
            sent.get(i).answer().complete(200);
        }
        assertEquals(asks.size(), sent.size());
        assertEquals(asks.getLast().askId(), sent.getLast().askId());
    }

    @Test
    void shouldPassOverAWaitingNoticeWhoseAskIsSettled() {
        List<Frame.Ask> asks = new ArrayList<>();
        for (int i = 0; i < Webhook.ON_THE_WAY_MAX + 2; i++) {
            asks.add(ask());
            webhook.handleAsk(spawn, asks.getLast());
        }
        webhook.handleSettled(spawn, answered(asks.get(Webhook.ON_THE_WAY_MAX)));
        sent.getFirst().answer().complete(200);
        assertEquals(asks.getLast().askId(), sent.getLast().askId());
        assertEquals(Webhook.ON_THE_WAY_MAX + 1, sent.size());
        assertTrue(Ids.isAskId(sent.getLast().askId()));
    }
}
