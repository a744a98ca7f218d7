package brig.gateway.e2e.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.gateway.provider.Provider;
import brig.gateway.provider.Sandbox;
import brig.gateway.provider.http.ApiSettings;
import brig.gateway.provider.opensandbox.OpenSandboxProvider;
import brig.gateway.provider.opensandbox.OpenSandboxSettings;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** {@link OpenSandboxProvider} with {@link FakeOpenSandbox}. */
class OpenSandboxProviderTest extends ProviderContract {
    @Override
    FakeProvider fake() {
        return new FakeOpenSandbox(certificate);
    }

    @Override
    Provider provider(ApiSettings api, Vertx vertx, Executor loop) {
        return new OpenSandboxProvider(
                new OpenSandboxSettings(api, "debian:13", "1", "1Gi", List.of()),
                vertx,
                loop,
                Thread::startVirtualThread);
    }

    @Override
    String counted(String name) {
        return "brig.name=" + name;
    }

    @Test
    void shouldPauseAndResume() throws Exception {
        Sandbox sandbox = made();
        await(provider.pause(sandbox));
        await(provider.pause(sandbox));
        assertEquals(Sandbox.State.PAUSED, await(provider.find(sandbox.name())).state());
        fake.faults().next(Operation.OTHER, Fault.LOST_AFTER);
        await(provider.resume(sandbox));
        assertEquals(Sandbox.State.RUNNING, await(provider.find(sandbox.name())).state());
        assertEquals(0, run(sandbox, null, "true").code());
    }
}
