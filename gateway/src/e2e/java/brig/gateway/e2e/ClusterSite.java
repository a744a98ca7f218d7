package brig.gateway.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Gateways that share worker-agents, all on this host, over nats-servers of their own. */
final class ClusterSite implements AutoCloseable {
    final NatsServers nats;
    final List<Product> gateways = new ArrayList<>();
    private final Product home = Product.prepare(Map.of());
    private final Map<String, Process> workerAgents = new LinkedHashMap<>();
    private final Map<String, Object> more;
    private final Path keys;

    /** Each is called g1, g2 and so on, and the shared hosts w1, w2 and so on. */
    ClusterSite(int servers, int gatewayCount, int hosts) throws IOException {
        this(servers, gatewayCount, hosts, Map.of());
    }

    /** @param more settings of each gateway */
    ClusterSite(int servers, int gatewayCount, int hosts, Map<String, Object> more) throws IOException {
        this.more = more;
        try {
            nats = NatsServers.start(servers);
            keys = Files.createFile(
                    home.folder().resolve("cluster.key"),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(keys, "0123456789abcdef0123456789abcdef0123456789abcdef\n");
            for (int i = 1; i <= hosts; i++) {
                startWorkerAgent("w" + i);
            }
            for (int i = 1; i <= gatewayCount; i++) {
                gateways.add(Product.start(settings("g" + i)));
            }
        } catch (IOException | RuntimeException | AssertionError e) {
            close();
            throw e;
        }
    }

    Path runtime(String host) {
        return home.folder().resolve(host);
    }

    private void startWorkerAgent(String host) throws IOException {
        Files.createDirectories(runtime(host));
        workerAgents.put(host, home.startWorkerAgent(runtime(host)));
        Path socket = runtime(host).resolve("w/link.sock");
        Await.until("the worker-agent of " + host + " listens", () -> Files.exists(socket));
    }

    Map<String, Object> settings(String name) throws IOException {
        Map<String, Object> hosts = new LinkedHashMap<>();
        workerAgents
                .keySet()
                .forEach(host -> hosts.put(
                        host,
                        Map.of(
                                "socket",
                                runtime(host).resolve("w/link.sock").toString(),
                                "labels",
                                List.of("shared"))));
        Map<String, Object> settings = new LinkedHashMap<>(more);
        settings.put(
                "cluster",
                Map.of(
                        "servers", nats.urls(),
                        "name", name,
                        "credentialsFile", nats.credentials(),
                        "systemCredentialsFile", nats.systemCredentials(),
                        "keyFile", keys.toString(),
                        "replicas", (long) nats.replicas(),
                        "hosts", hosts));
        return settings;
    }

    /** The gateway that owns that host, as the logs of those that run say; one that is stopped may not know of a later one. */
    @Nullable
    Product owner(String host) throws IOException {
        Pattern taken = Pattern.compile("host " + host + " is owned by this gateway term=(\\d+)");
        Product owner = null;
        long greatest = 0;
        for (Product gateway : gateways) {
            if (gateway.url().isEmpty()) {
                continue;
            }
            String log = Files.readString(gateway.log());
            int lost = log.lastIndexOf("host " + host + " is not owned by this gateway any more");
            MatchResult last = taken.matcher(log)
                    .results()
                    .reduce((earlier, later) -> later)
                    .orElse(null);
            if (last != null && last.start() > lost && Long.parseLong(last.group(1)) > greatest) {
                greatest = Long.parseLong(last.group(1));
                owner = gateway;
            }
        }
        return owner;
    }

    /** The gateway that owns that host, as soon as one reaches it. */
    Product awaitOwner(String host) throws IOException {
        Await.until("a gateway owns " + host + " and reaches it", () -> {
            Product one = owner(host);
            if (one == null) {
                return false;
            }
            String log = Files.readString(one.log());
            return log.lastIndexOf("worker-agent on host " + host + " is up")
                    > log.lastIndexOf("host " + host + " is owned by this gateway term=");
        });
        Product found = owner(host);
        if (found == null) {
            throw new AssertionError("nobody owns " + host + " any more");
        }
        return found;
    }

    List<Product> others(Product one) {
        return gateways.stream().filter(gateway -> gateway != one).toList();
    }

    /** Stops or continues a process: {@code STOP}, {@code CONT}. */
    static void signal(Process process, String signal) throws IOException {
        Process kill = new ProcessBuilder("kill", "-" + signal, String.valueOf(process.pid())).start();
        try {
            if (!kill.waitFor(Await.DEADLINE_SECONDS, TimeUnit.SECONDS) || kill.exitValue() != 0) {
                throw new AssertionError("kill -" + signal + " failed");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws IOException {
        for (Product gateway : gateways) {
            gateway.close();
        }
        workerAgents.values().forEach(Process::destroyForcibly);
        for (String host : workerAgents.keySet()) {
            Processes.with("--runtime-dir", runtime(host).toString()).forEach(ProcessHandle::destroyForcibly);
        }
        if (nats != null) {
            nats.close();
        }
        home.close();
    }
}
