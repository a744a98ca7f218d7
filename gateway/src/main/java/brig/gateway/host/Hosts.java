package brig.gateway.host;

import brig.gateway.deploy.Payload;
import brig.gateway.deploy.Processes;
import brig.gateway.joint.LocalSockets;
import brig.gateway.telemetry.LogEvents;
import brig.gateway.time.Clock;
import brig.gateway.time.Timers;
import brig.gateway.worker.AgentLinks;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.api.HostSettings;
import brig.protocol.api.HostState;
import brig.protocol.api.HostView;
import brig.protocol.control.DoctorAnswer;
import brig.protocol.control.Finding;
import brig.protocol.control.TunnelWay;
import brig.protocol.io.SocketFile;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Extensible;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.ToIntFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The hosts of this gateway: those of the settings, and those that were added at run time.
 *
 * <p>Owned by the event loop.
 *
 * <p>Decision 0159.
 */
public final class Hosts {
    /** Who is told of ups and downs. */
    public interface Listener {
        /** There is a host of that name, whether or not it is in reach; or another one than before. */
        void handleKnown(String host, WorkerAgent agent);

        /** There is no host of that name any more. */
        void handleForgotten(String host);

        /** Its worker-agent answers; it may be a new instance. */
        void handleUp(String host, String instance);

        /** It is out of reach. Its workers go on there. */
        void handleDown(String host);
    }

    /** Keeps what must outlive the gateway. */
    public interface Store {
        CompletionStage<Void> save(Kept kept);
    }

    /**
     * What is kept.
     *
     * @param hosts those that were added at run time
     * @param epochs the newest epoch of each, also of those that are no hosts any more
     */
    @Extensible
    public record Kept(Map<String, HostSettings> hosts, Map<String, Long> epochs) {}

    /**
     * What the registry is made of.
     *
     * @param folder where the sockets of links are
     * @param gatewayId of which worker-agents on hosts know this gateway by a hash
     * @param workers counts the live workers of a host
     */
    public record Services(
            Processes processes,
            LocalSockets sockets,
            Payload payload,
            Timers timers,
            Clock clock,
            AgentLinks agents,
            Store store,
            Path folder,
            String gatewayId,
            ToIntFunction<String> workers) {}

    private static final int HOSTS_MAX = 1_000;
    private static final int ID_LENGTH = 12;
    /** What {@code -L} would take for something else. */
    private static final Pattern ODD = Pattern.compile("[:%$\\\\]|\\p{Cntrl}");

    private final Services services;
    private final Map<String, HostSettings> configured;
    private final Map<String, HostSettings> added;
    private final Map<String, Long> epochs;
    private final Map<String, HostLink> links = new TreeMap<>();
    private final Told told = new Told();
    private @Nullable Listener listener;

    /** @param configured the hosts of the settings, which win over those added by the same name */
    public Hosts(Services services, Map<String, HostSettings> configured, Kept kept) {
        this.services = services;
        this.configured = Map.copyOf(configured);
        this.added = new LinkedHashMap<>(kept.hosts());
        this.epochs = new LinkedHashMap<>(kept.epochs());
    }

    /** Connects to all hosts, and keeps the links up. */
    public void open(Listener newListener) {
        listener = newListener;
        Map<String, HostSettings> all = new TreeMap<>(added);
        all.putAll(configured);
        all.forEach((name, settings) -> link(name, settings, false));
    }

    /** As a worker-agent knows this gateway. Two names may lead to one account: each has a worker-agent of its own there. */
    private String idOn(String host) {
        return Ids.hash(services.gatewayId() + " " + host).substring(0, ID_LENGTH);
    }

    private HostLink link(String name, HostSettings settings, boolean isNew) {
        Path socket = socketOf(name);
        Path control = services.folder().resolve(name + ".ctl");
        // ssh binds its control socket under a longer name first.
        boolean fits = SocketFile.fits(control.resolveSibling(name + ".ctl.0123456789abcdef"));
        if (!fits || ODD.matcher(socket.toString()).find()) {
            throw new BrigException(
                    ErrorCode.INTERNAL,
                    "the path " + socket + " is too long, or has a character that ssh reads otherwise; choose another"
                            + " runtimeDir");
        }
        HostLink link = new HostLink(
                name,
                new SshCommands(settings, control, socket),
                new HostLink.Services(
                        services.processes(),
                        services.sockets(),
                        services.payload(),
                        services.timers(),
                        services.clock(),
                        this::nextEpoch,
                        services.agents(),
                        idOn(name),
                        () -> services.workers().applyAsInt(name) > 0),
                told);
        links.put(name, link);
        told.handleKnown(name, link.agent());
        if (isNew) {
            link.requireProof();
        }
        link.begin();
        return link;
    }

    private Path socketOf(String name) {
        return services.folder().resolve(name + ".sock");
    }

    /** Passes on what links tell; before {@link #open} and after {@link #close} to nobody. */
    private final class Told implements Listener {
        @Override
        public void handleKnown(String host, WorkerAgent agent) {
            if (listener != null) {
                listener.handleKnown(host, agent);
            }
        }

        @Override
        public void handleForgotten(String host) {
            if (listener != null) {
                listener.handleForgotten(host);
            }
        }

        @Override
        public void handleUp(String host, String instance) {
            if (listener != null) {
                listener.handleUp(host, instance);
            }
        }

        @Override
        public void handleDown(String host) {
            if (listener != null) {
                listener.handleDown(host);
            }
        }
    }

    private CompletionStage<Long> nextEpoch(String host) {
        long next = Math.max(services.clock().nowMs(), epochs.getOrDefault(host, 0L) + 1);
        epochs.put(host, next);
        // A link takes a number when it has logged in.
        LogEvents.audit("host_login", JsonObject.EMPTY.with("host", host).with("epoch", next));
        return save().thenApply(saved -> next);
    }

    private CompletionStage<Void> save() {
        return services.store().save(new Kept(Map.copyOf(added), Map.copyOf(epochs)));
    }

    /** The names of all hosts. */
    public List<String> names() {
        return List.copyOf(links.keySet());
    }

    /** The worker-agent of a host, whether or not it can be reached now; null if there is no such host. */
    public @Nullable WorkerAgent agentOf(String host) {
        HostLink link = links.get(host);
        return link == null ? null : link.agent();
    }

    /** Whether workers can be started there now. */
    public boolean isUp(String host) {
        HostLink link = links.get(host);
        return link != null
                && link.status().state() == HostState.UP
                && !link.settings().tunnelOnly();
    }

    /** The way to a host for tunnels; null if there is no link to it now, or no such host. */
    public @Nullable TunnelWay wayTo(String host) {
        HostLink link = links.get(host);
        return link == null ? null : link.way();
    }

    /** What a host lacks to run workers, and how to get it; null if nothing is known to be missing. */
    public @Nullable String lackOf(String host) {
        HostLink link = require(host);
        if (link.settings().tunnelOnly()) {
            return "it is for tunnels only (brig tunnel " + host
                    + "); to run sessions there, have it without tunnelOnly";
        }
        LinkStatus status = link.status();
        return status.state() == HostState.UNFIT
                ? status.reason() + (status.mend() == null ? "" : "; " + status.mend())
                : null;
    }

    /** @throws BrigException {@code NOT_FOUND} */
    public HostSettings settingsOf(String host) {
        return require(host).settings();
    }

    public List<HostView> list() {
        return links.keySet().stream().map(this::view).toList();
    }

    /** @throws BrigException {@code NOT_FOUND} */
    public HostView view(String name) {
        HostLink link = require(name);
        LinkStatus status = link.status();
        Long retryAtMs = status.retryAtMs();
        long nowMs = services.clock().nowMs();
        return new HostView(
                name,
                configured.containsKey(name),
                link.settings().ssh(),
                link.settings().labels(),
                link.settings().egress(),
                status.state(),
                status.percent(),
                status.reason(),
                status.mend(),
                retryAtMs == null ? null : (int) Math.max(0, (retryAtMs - nowMs + 999) / 1000),
                services.workers().applyAsInt(name),
                link.settings().workersMax(),
                link.version(),
                link.settings().tunnelOnly(),
                status.sinceMs());
    }

    private HostLink require(String name) {
        HostLink link = links.get(name);
        if (link == null) {
            throw new BrigException(ErrorCode.NOT_FOUND, "there is no host of that name; brig host list shows all");
        }
        return link;
    }

    /** Adds a host, or changes one that was added; its link begins at once. */
    public CompletionStage<HostView> add(String name, HostSettings settings) {
        HostSettings.requireName(name);
        if (configured.containsKey(name)) {
            throw new BrigException(
                    ErrorCode.INVALID_FIELD, "host " + name + " is one of the settings (hosts); change it there");
        }
        if (links.size() >= HOSTS_MAX && !links.containsKey(name)) {
            throw new BrigException(
                    ErrorCode.INVALID_FIELD, "there are " + HOSTS_MAX + " hosts, and no more are possible");
        }
        int live = services.workers().applyAsInt(name);
        if (settings.tunnelOnly() && live > 0) {
            throw new BrigException(
                    ErrorCode.HOST_IN_USE,
                    live + " sessions live on host " + name + "; end them before it is for tunnels only");
        }
        boolean isNew = !links.containsKey(name);
        added.put(name, settings);
        return save().thenApply(saved -> {
            if (settings.equals(added.get(name))) {
                end(name);
                link(name, settings, isNew);
            }
            return view(name);
        });
    }

    private void end(String name) {
        HostLink old = links.remove(name);
        if (old != null) {
            old.close();
        }
    }

    /**
     * Forgets a host that was added. Its workers end by themselves, or go on there without anybody.
     *
     * @param force also if workers of this gateway live there
     */
    public CompletionStage<HostView> remove(String name, boolean force) {
        HostView last = view(name);
        if (configured.containsKey(name)) {
            throw new BrigException(
                    ErrorCode.INVALID_FIELD, "host " + name + " is one of the settings (hosts); remove it there");
        }
        if (last.workers() > 0 && !force) {
            throw new BrigException(
                    ErrorCode.HOST_IN_USE,
                    last.workers() + " sessions live on host " + name + "; end them first, or use force");
        }
        added.remove(name);
        return save().thenApply(saved -> {
            if (!added.containsKey(name)) {
                end(name);
                told.handleForgotten(name);
            }
            return last;
        });
    }

    /** What is to be said of a host: the link, what it is, and what its worker-agent's doctor finds. */
    public CompletionStage<List<Finding>> check(String name) {
        HostLink link = require(name);
        CompletionStage<List<Finding>> findings = link.check();
        if (!isUp(name)) {
            return findings;
        }
        CompletionStage<List<Finding>> doctor =
                link.agent().doctor().thenApply(DoctorAnswer::findings).exceptionally(failure -> List.of());
        return findings.thenCombine(doctor, (first, second) -> {
            List<Finding> all = new ArrayList<>(first);
            second.stream()
                    .filter(one ->
                            first.stream().noneMatch(other -> other.name().equals(one.name())))
                    .forEach(all::add);
            return all;
        });
    }

    /** Brings the payload of this installation to a host; one without a link tries again at once. */
    public CompletionStage<HostView> upgrade(String name) {
        HostLink link = require(name);
        if (link.settings().tunnelOnly() && link.status().state() == HostState.UP) {
            throw BrigException.invalid("name", "is a host for tunnels only: nothing is brought there");
        }
        return link.upgrade().thenApply(upgraded -> view(name));
    }

    /** Ends all links. The workers go on. */
    public void close() {
        listener = null;
        links.forEach((name, link) -> {
            link.close();
            var _ = services.sockets().clear(socketOf(name));
        });
        links.clear();
    }
}
