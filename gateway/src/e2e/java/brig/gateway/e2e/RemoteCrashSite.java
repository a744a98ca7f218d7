package brig.gateway.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The worker-agent on a host that ssh reaches. The relay stands in its place there, so what it holds has passed ssh already; the gateway
 * starts the worker-agent again, and the link.
 */
final class RemoteCrashSite extends CrashSite {
    private final SshHost host;
    private final RemoteSite site;
    private Path back;
    private Relay relay;
    private List<ProcessHandle> killed = List.of();

    RemoteCrashSite() throws Exception {
        host = SshHost.start("build1");
        site = RemoteSite.start(Map.of(), host);
    }

    @Override
    Product product() {
        return site.product();
    }

    @Override
    Relay relay() {
        return relay;
    }

    @Override
    Path backend() throws IOException {
        return relay == null ? socket() : back;
    }

    @Override
    String place() {
        return "\"host\":\"" + host.name() + "\",";
    }

    private Path socket() throws IOException {
        try (Stream<Path> agents = Files.list(host.home().resolve(".brig/gateways"))) {
            return agents.map(folder -> folder.resolve("run/w/link.sock"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Override
    void prepare() throws Exception {
        site.awaitUp();
        if (relay == null) {
            back = socket().resolveSibling("back.sock");
            Files.move(socket(), back);
            startRelay();
            killLink();
            hastenLink();
            site.awaitUp();
        }
    }

    private void startRelay() throws IOException {
        Path front = back.resolveSibling("link.sock");
        relay = new Relay(front, back);
        host.give(front);
    }

    @Override
    void restartRelay() throws IOException {
        if (relay != null) {
            relay.close();
            startRelay();
        }
    }

    @Override
    void killWorkerAgent() throws Exception {
        if (relay != null) {
            relay.close();
            relay = null;
        }
        for (ProcessHandle agent : RemoteLinkTest.workerAgents(host)) {
            agent.destroyForcibly();
            agent.onExit().get();
        }
        Files.deleteIfExists(back);
    }

    /** A session that has ended needs no worker-agent, so the gateway may not have started it again yet. */
    @Override
    long workersLeft(List<String> spawnIds) throws IOException {
        Await.until("the worker-agent listens", () -> Files.exists(backend()));
        return super.workersLeft(spawnIds);
    }

    /** The gateway does that. */
    @Override
    void startWorkerAgent() {}

    @Override
    void killLink() throws IOException {
        killed = site.master(host.name());
        killed.forEach(ProcessHandle::destroyForcibly);
    }

    /** After many losses in a row the gateway pauses before it tries again. */
    @Override
    void hastenLink() throws IOException {
        Await.until("the loss is seen", () -> {
            List<ProcessHandle> masters = site.master(host.name());
            return isDown() || (!masters.isEmpty() && !masters.equals(killed));
        });
        if (isDown()) {
            product().ask("{\"action\":\"upgrade_host\",\"name\":\"" + host.name() + "\"}");
        }
    }

    private boolean isDown() throws IOException {
        return site.view(host.name()).text("state").equals("down");
    }

    SshHost host() {
        return host;
    }

    @Override
    public void close() throws IOException {
        if (relay != null) {
            relay.close();
        }
        site.close();
    }
}
