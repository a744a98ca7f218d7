package brig.gateway.e2e.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.provider.Provider;
import brig.gateway.provider.ProviderFailure;
import brig.gateway.provider.ProviderFailure.Kind;
import brig.gateway.provider.Sandbox;
import brig.gateway.provider.http.ApiSettings;
import brig.gateway.provider.sprites.SpritesProvider;
import brig.protocol.json.JsonObject;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** {@link SpritesProvider} with {@link FakeSprites}. */
class SpritesProviderTest extends ProviderContract {
    @Override
    FakeProvider fake() throws IOException {
        return new FakeSprites(certificate);
    }

    @Override
    Provider provider(ApiSettings api, Vertx vertx, Executor loop) {
        return new SpritesProvider(api, vertx, loop, Thread::startVirtualThread);
    }

    @Override
    String counted(String name) {
        return name;
    }

    private List<JsonObject> rules(String name) {
        return ((FakeSprites) fake).policyOf(name).objects("rules");
    }

    /** Scenario: the answer to a create is lost, and the caller asks again. */
    @Test
    void shouldFinishACreateWhoseAnswerWasLost() throws Exception {
        String name = newName();
        fake.faults().next(Operation.CREATE, Fault.LOST_AFTER);
        assertEquals(Kind.LOST, failure(provider.create(order(name, true))).kind());
        assertEquals(List.of(), rules(name));
        assertEquals(name, await(provider.create(order(name, true))).name());
        assertEquals("deny", rules(name).getFirst().text("action"));
        assertEquals(1, fake.creates(counted(name)));
        assertEquals(List.of(name), fake.alive());
    }

    @Test
    void shouldRefuseANameThatIsAnothers() throws Exception {
        String name = newName();
        fake.plant(name, "spawn_id=another");
        assertEquals(Kind.REFUSED, failure(provider.create(order(name, false))).kind());
        assertEquals(0, fake.touchesOfForeign());
    }

    @Test
    void shouldCloseTheNetwork() throws Exception {
        String open = newName();
        String closed = newName();
        await(provider.create(order(open, false)));
        await(provider.create(order(closed, true)));
        assertEquals(List.of(), rules(open));
        assertEquals(
                List.of("*", "deny"),
                List.of(
                        rules(closed).getFirst().text("domain"),
                        rules(closed).getFirst().text("action")));
    }

    @Test
    void shouldEndASpriteWhoseNetworkStaysOpen() throws Exception {
        String name = newName();
        fake.faults().always(Operation.OTHER, Fault.TOKEN_EXPIRED);
        ProviderFailure failure = failure(provider.create(order(name, true)));
        assertEquals(Kind.LOST, failure.kind());
        assertTrue(failure.getMessage().startsWith("its network could not be closed"), failure::getMessage);
        assertEquals(List.of(), fake.alive());
    }

    @Test
    void shouldRefuseToPause() throws Exception {
        Sandbox sandbox = made();
        assertFalse(provider.capabilities().pause());
        assertEquals(Kind.REFUSED, failure(provider.pause(sandbox)).kind());
        assertEquals(Kind.REFUSED, failure(provider.resume(sandbox)).kind());
    }
}
