package brig.gateway.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.time.FakeTime;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Gateway g1 asks the owner of w1, which answers as each test says. */
class OwnersTest {
    private static final Question QUESTION =
            new Question.Terminate("w1", "spn_01kdvw5v09s6yx3m8q2t7n4e", "REQUESTED", "alice");
    private static final Reply DONE = Reply.of(JsonObject.EMPTY);

    private final FakeTime time = new FakeTime();
    private final List<String> asked = new ArrayList<>();
    private Optional<OwnerEntry> owner = Optional.of(new OwnerEntry("g2", "i2", 1, true));
    private CompletableFuture<byte[]> reply = new CompletableFuture<>();

    private final Post post = new Post() {
        @Override
        public CompletionStage<byte[]> ask(String gateway, byte[] question) {
            asked.add(gateway);
            return reply;
        }

        @Override
        public void serve(Function<byte[], CompletionStage<byte[]>> answerer) {
            throw new AssertionError("nobody asks g1");
        }
    };

    private final Owners owners = new Owners("g1", post, time, time, host -> owner, question -> {
        asked.add("g1");
        return CompletableFuture.completedFuture(DONE);
    });

    private CompletableFuture<JsonObject> ask() {
        return owners.ask(QUESTION).toCompletableFuture();
    }

    private static BrigException refusal(CompletableFuture<JsonObject> answer) {
        assertTrue(answer.isDone(), "it is answered");
        return (BrigException)
                assertThrows(CompletionException.class, answer::join).getCause();
    }

    @Test
    void shouldAskWhoeverOwnsTheHost() {
        CompletableFuture<JsonObject> answer = ask();
        assertFalse(answer.isDone());
        reply.complete(Json.write(DONE));
        answer.join();
        owner = Optional.of(new OwnerEntry("g1", "i1", 2, true));
        ask().join();
        assertEquals(List.of("g2", "g1"), asked);
    }

    @Test
    void shouldWaitForAnOwner() {
        owner = Optional.empty();
        CompletableFuture<JsonObject> answer = ask();
        time.pass(9_000);
        assertFalse(answer.isDone());
        owner = Optional.of(new OwnerEntry("g1", "i1", 2, true));
        time.pass(250);
        answer.join();
        assertEquals(0, time.pending());
    }

    @Test
    void shouldRefuseWhereNoOwnerComes() {
        owner = Optional.empty();
        CompletableFuture<JsonObject> answer = ask();
        time.pass(10_000);
        assertEquals(ErrorCode.HOST_UNREACHABLE, refusal(answer).code());
        assertEquals(List.of(), asked);
    }

    @Test
    void shouldWaitForAnAnswerAsLongAsTheOwnerIsTheSame() {
        CompletableFuture<JsonObject> answer = ask();
        time.pass(30_000);
        owner = Optional.empty();
        time.pass(1_000);
        assertFalse(answer.isDone());
        reply.complete(Json.write(DONE));
        answer.join();
        assertEquals(List.of("g2"), asked);
        time.pass(250);
        assertEquals(0, time.pending());
    }

    /** Scenario: the owner was killed with the question; it may have done what was asked, so that is not asked again. */
    @Test
    void shouldNotWaitForAnAnswerOfAnOwnerThatLostTheHost() {
        CompletableFuture<JsonObject> answer = ask();
        time.pass(5_000);
        owner = Optional.of(new OwnerEntry("g3", "i3", 2, true));
        time.pass(250);
        BrigException refusal = refusal(answer);
        assertEquals(ErrorCode.HOST_UNREACHABLE, refusal.code());
        assertTrue(
                refusal.getMessage().contains("may have done it: another gateway took the host"), refusal.getMessage());
        assertEquals(List.of("g2"), asked);
        assertEquals(0, time.pending());
    }
}
