package brig.gateway.e2e;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A gateway and hosts of its settings that it reaches by ssh, where what it needs was brought before. */
final class RemoteSite implements AutoCloseable {
    private final Product product;
    private final List<SshHost> hosts;

    private RemoteSite(Map<String, ?> settings, List<SshHost> hosts) throws IOException {
        this.hosts = hosts;
        Map<String, Object> all = new LinkedHashMap<>(settings);
        Map<String, Object> reached = new LinkedHashMap<>();
        for (SshHost host : hosts) {
            Map<String, Object> one = new LinkedHashMap<>(reach(host.config()));
            one.putAll(asked(settings, host.name()));
            reached.put(host.name(), one);
        }
        all.put("hosts", reached);
        product = Product.prepare(all);
    }

    private static Map<String, Object> asked(Map<String, ?> settings, String host) {
        JsonObject given = JsonObject.of(settings).object("hosts").object(host);
        Map<String, Object> asked = new LinkedHashMap<>();
        given.names().forEach(name -> asked.put(name, given.value(name)));
        return asked;
    }

    /** Has hosts, with what the settings say of them besides, and waits until all are up. It closes them too. */
    static RemoteSite start(Map<String, ?> settings, SshHost... hosts) throws IOException {
        RemoteSite site = new RemoteSite(settings, List.of(hosts));
        try {
            for (SshHost host : hosts) {
                Payloads.unpackOn(host);
            }
            Payloads.keepFor(site.product);
            site.product.serve();
            site.awaitUp();
            return site;
        } catch (IOException | RuntimeException | AssertionError e) {
            site.close();
            throw e;
        }
    }

    /** The setting of a host of that name. */
    static Map<String, Object> reach(SshConfig config) {
        return Map.of(
                "ssh", config.name(), "options", List.of("-F", config.file().toString()), "labels", List.of("far"));
    }

    Product product() {
        return product;
    }

    void awaitUp() throws IOException {
        for (SshHost host : hosts) {
            awaitState(host.name(), "up");
        }
    }

    JsonObject view(String host) throws IOException {
        return product.ask("{\"action\":\"hosts\"}").objects("hosts").stream()
                .filter(one -> one.text("name").equals(host))
                .findFirst()
                .orElseThrow();
    }

    JsonObject awaitState(String host, String state) throws IOException {
        JsonObject[] view = new JsonObject[1];
        try {
            Await.until("host " + host + " is " + state, () -> {
                view[0] = view(host);
                return view[0].text("state").equals(state);
            });
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + ": " + view[0], e);
        }
        return view[0];
    }

    /** Asks for a session there. */
    JsonObject ask(String host, String agent, String prompt, boolean once, Map<String, ?> more) throws IOException {
        Map<String, Object> request = new LinkedHashMap<>(more);
        request.put("action", "spawn");
        request.put("host", host);
        request.putIfAbsent("agent_config", Map.of("name", agent));
        if (!prompt.isEmpty()) {
            request.put("prompt", prompt);
        }
        request.put("once", once);
        return product.ask(new String(Json.write(request), StandardCharsets.UTF_8));
    }

    /** A shell there that runs one message and ends. */
    Spawned shell(SshHost host, String prompt) throws IOException {
        return new Spawned(product, ask(host.name(), "shell", prompt, true, Map.of()));
    }

    /** The folder of a session there, as this machine sees it. */
    static Path workspace(SshHost host, Spawned spawned) {
        return host.here(spawned.workspace().toString());
    }

    /** The gateway's ssh that logged in to that host, or none. */
    List<ProcessHandle> master(String host) {
        String control = product.runtime().resolve("h").resolve(host + ".ctl").toString();
        return Processes.with("-M", "-S", control);
    }

    @Override
    public void close() throws IOException {
        product.close();
        for (SshHost host : hosts) {
            host.close();
        }
    }
}
