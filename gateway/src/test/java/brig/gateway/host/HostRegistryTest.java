package brig.gateway.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.deploy.FakeProcesses;
import brig.gateway.deploy.Payload;
import brig.gateway.joint.FarEnd;
import brig.gateway.joint.LocalSockets;
import brig.gateway.time.FakeTime;
import brig.gateway.worker.AgentLinks;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.HostEgress;
import brig.protocol.api.HostSettings;
import brig.protocol.api.HostState;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The registry: where hosts come from, what is kept of them, and who is told. */
class HostRegistryTest {
    private static final HostSettings BOX =
            new HostSettings("user@box", List.of(), List.of("gpu"), 4, HostEgress.HOME, 0, "", false);

    private final FakeTime time = new FakeTime();
    private final List<String> cleared = new ArrayList<>();
    private final FakeProcesses processes = new FakeProcesses();
    private final List<String> told = new ArrayList<>();
    private Hosts.Kept kept = new Hosts.Kept(Map.of(), Map.of());
    private int workers;

    private Hosts open(Map<String, HostSettings> configured) {
        Hosts hosts = new Hosts(
                new Hosts.Services(
                        processes,
                        new NoSockets(),
                        new NoPayload(),
                        time,
                        time,
                        (socket, reach, listener) ->
                                new AgentLinks.AgentLink(agent(), () -> {}, () -> told.add("closed")),
                        fresh -> {
                            kept = fresh;
                            return CompletableFuture.completedFuture(null);
                        },
                        Path.of("/run/h"),
                        "0123456789ab",
                        host -> workers),
                configured,
                kept);
        hosts.open(new Told());
        return hosts;
    }

    private static WorkerAgent agent() {
        return (WorkerAgent) Proxy.newProxyInstance(
                HostRegistryTest.class.getClassLoader(), new Class<?>[] {WorkerAgent.class}, (proxy, method, in) -> {
                    throw new AssertionError(method.getName());
                });
    }

    @Test
    void shouldKnowAnAddedHostAgainAfterARestart() {
        Hosts first = open(Map.of());
        assertEquals(
                HostState.CONNECTING,
                first.add("box", BOX).toCompletableFuture().join().state());
        assertEquals(List.of("known box"), told);
        first.close();
        assertEquals(List.of("box.sock"), cleared, "a gateway that stops leaves no socket");
        Hosts second = open(Map.of());
        assertEquals(List.of("box"), second.names());
        assertEquals(BOX, second.settingsOf("box"));
        assertEquals(4, second.settingsOf("box").workersMax());
    }

    @Test
    void shouldGiveEachLinkAGreaterEpochAlsoWhenTheClockStandsAndAfterARemoval() {
        processes.script("-O exit", 255, "", "");
        processes.script("-O check", 0, "", "");
        Hosts hosts = open(Map.of());
        hosts.add("box", BOX);
        processes.settle();
        long first = kept.epochs().get("box");
        assertEquals(time.nowMs(), first);
        hosts.upgrade("box");
        processes.settle();
        assertEquals(first + 1, kept.epochs().get("box"));
        hosts.remove("box", false);
        hosts.add("box", BOX);
        processes.settle();
        assertEquals(first + 2, kept.epochs().get("box"));
    }

    @Test
    void shouldLinkAnewWhenAHostIsAddedAgain() {
        Hosts hosts = open(Map.of());
        hosts.add("box", BOX);
        WorkerAgent before = hosts.agentOf("box");
        hosts.add("box", new HostSettings("other", List.of(), List.of(), 0, HostEgress.THERE, 0, "", false));
        assertNotNull(hosts.agentOf("box"));
        assertNotSame(before, hosts.agentOf("box"));
        assertEquals(List.of("known box", "closed", "known box"), told);
        assertEquals("other", hosts.view("box").ssh());
    }

    @Test
    void shouldKeepAHostOnWhichSessionsLiveUnlessForced() {
        Hosts hosts = open(Map.of());
        hosts.add("box", BOX);
        workers = 2;
        BrigException refusal = assertThrows(BrigException.class, () -> hosts.remove("box", false));
        assertEquals(ErrorCode.HOST_IN_USE, refusal.code());
        hosts.remove("box", true);
        assertNull(hosts.agentOf("box"));
        assertTrue(kept.hosts().isEmpty());
        assertEquals(List.of("known box", "closed", "forgotten box"), told);
    }

    @Test
    void shouldLeaveTheHostsOfTheSettingsAlone() {
        Hosts hosts = open(Map.of("box", BOX));
        assertTrue(hosts.view("box").configured());
        assertThrows(BrigException.class, () -> hosts.add("box", BOX));
        assertThrows(BrigException.class, () -> hosts.remove("box", true));
        assertTrue(kept.hosts().isEmpty());
    }

    @Test
    void shouldPlaceNoSessionOnAHostForTunnels() {
        HostSettings tunnels = new HostSettings("user@box", List.of(), List.of(), 0, HostEgress.THERE, 0, "", true);
        processes.script("-O exit", 255, "", "");
        processes.script("-O check", 0, "", "");
        Hosts hosts = open(Map.of());
        workers = 1;
        BrigException inUse = assertThrows(BrigException.class, () -> hosts.add("box", tunnels));
        assertEquals(ErrorCode.HOST_IN_USE, inUse.code());
        workers = 0;
        hosts.add("box", tunnels);
        processes.settle();
        assertEquals(HostState.UP, hosts.view("box").state());
        assertTrue(hosts.view("box").tunnelOnly());
        assertFalse(hosts.isUp("box"));
        assertThrows(BrigException.class, () -> hosts.upgrade("box"));
        assertNotNull(hosts.wayTo("box"), "tunnels go on");
        assertTrue(String.valueOf(hosts.lackOf("box")).startsWith("it is for tunnels only"));
    }

    @Test
    void shouldSayThatThereIsNoSuchHost() {
        Hosts hosts = open(Map.of());
        assertEquals(
                ErrorCode.NOT_FOUND,
                assertThrows(BrigException.class, () -> hosts.view("x")).code());
        assertThrows(BrigException.class, () -> hosts.check("x"));
        assertThrows(BrigException.class, () -> hosts.upgrade("x"));
    }

    @Test
    void shouldKeepHostsInAFileOfTheOwnerAlone(@TempDir Path folder) throws IOException {
        HostFile file =
                new HostFile(folder.resolve("hosts.json"), folder.resolve("gateway.id"), Runnable::run, Runnable::run);
        assertTrue(file.load().hosts().isEmpty());
        Hosts.Kept all = new Hosts.Kept(Map.of("box", BOX), Map.of("box", 7L));
        file.save(all).toCompletableFuture().join();
        assertEquals(all, file.load());
        assertEquals(
                "[OWNER_READ, OWNER_WRITE]",
                Files.getPosixFilePermissions(folder.resolve("hosts.json")).stream()
                        .sorted()
                        .toList()
                        .toString());
        String id = file.gatewayId();
        assertTrue(id.matches("[0-9a-f]{12}"), id);
        assertEquals(id, file.gatewayId());
        Files.writeString(folder.resolve("hosts.json"), "{\"hosts\":7}");
        assertThrows(BrigException.class, file::load);
    }

    private final class Told implements Hosts.Listener {
        @Override
        public void handleKnown(String host, WorkerAgent agent) {
            told.add("known " + host);
        }

        @Override
        public void handleForgotten(String host) {
            told.add("forgotten " + host);
        }

        @Override
        public void handleUp(String host, String instance) {
            told.add("up " + host);
        }

        @Override
        public void handleDown(String host) {
            told.add("down " + host);
        }
    }

    private final class NoSockets implements LocalSockets {
        @Override
        public CompletionStage<Void> clear(Path socket) {
            cleared.add(String.valueOf(socket.getFileName()));
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Joint> join(Path socket, FarEnd.Opener far, Consumer<String> ended) {
            throw new AssertionError("nothing is joined");
        }
    }

    private static final class NoPayload implements Payload {
        @Override
        public CompletionStage<String> name() {
            return new CompletableFuture<>();
        }

        @Override
        public CompletionStage<Archive> archive() {
            return new CompletableFuture<>();
        }

        @Override
        public String machine() {
            return "x86_64";
        }
    }
}
