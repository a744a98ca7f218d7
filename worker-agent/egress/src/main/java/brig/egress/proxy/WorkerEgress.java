package brig.egress.proxy;

import brig.egress.dns.WallNames;
import brig.egress.policy.EgressPolicy;
import brig.egress.policy.HostNames;
import brig.egress.policy.HostPattern;
import brig.egress.policy.HostPolicy;
import brig.egress.policy.Verdict;
import brig.egress.secret.Secrets;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import io.netty.handler.traffic.GlobalTrafficShapingHandler;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One worker, as the proxy knows it. All state is owned by its event loop.
 *
 * <p>Decision 0056.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
final class WorkerEgress {
    /** A connection that must not outlive what allowed it. */
    interface Live {
        /** The policy has changed. */
        void recheck();

        Channel channel();
    }

    private static final Logger LOG = LoggerFactory.getLogger(WorkerEgress.class);
    private static final int TOLD_MAX = 1024;
    private static final int FORMER_VALUES_MAX = 4;
    private static final long PACE_MS = 100;
    private static final long WAITING_BYTES_MAX = 256 * 1024;

    private final String id;
    private final String spawn;
    private final String agent;
    private final EventLoop loop;
    private final ProxyServices around;
    private final Map<String, String> placeholders;
    private final WallNames names = new WallNames();
    private final Asks asks;
    private final List<String> allowedMeanwhile = new ArrayList<>();
    private final List<HostPattern> allowedOnce = new ArrayList<>();
    private final Set<Live> live = new HashSet<>();
    private final Set<String> told = new LinkedHashSet<>();
    private final Set<String> subAgents = new HashSet<>();
    private final Set<String> revoked = new TreeSet<>();
    private final Map<String, List<String>> formerValues = new TreeMap<>();
    private final GlobalTrafficShapingHandler inward;
    private final GlobalTrafficShapingHandler outward;
    private HostPolicy policy;
    private Secrets secrets = Secrets.NONE;
    private boolean closed;

    WorkerEgress(Registration registration, EventLoop loop, ProxyServices around) {
        this.id = registration.worker();
        this.spawn = registration.spawn();
        this.agent = registration.agent();
        this.loop = loop;
        this.inward = pace(loop, around.limits().bytesPerSecondMax());
        this.outward = pace(loop, around.limits().bytesPerSecondMax());
        this.around = around;
        this.placeholders = registration.placeholders();
        this.allowedMeanwhile.addAll(registration.allowed());
        this.revoked.addAll(registration.revoked());
        this.policy = new HostPolicy(registration.policy(), allowedMeanwhile);
        this.asks = new Asks(loop, this::tellAnswered);
        this.secrets = new Secrets(placeholders, Map.of(), Map.of());
    }

    /** What is beyond the rate waits, a little of it; then its channel is not writable, and the other side not read. */
    private static GlobalTrafficShapingHandler pace(EventLoop loop, long bytesPerSecondMax) {
        var pace = new GlobalTrafficShapingHandler(loop, bytesPerSecondMax, 0, PACE_MS);
        pace.setMaxWriteSize(WAITING_BYTES_MAX);
        return pace;
    }

    /** For each connection to the agent. */
    ChannelHandler inward() {
        return inward;
    }

    /** For each connection to the outside. */
    ChannelHandler outward() {
        return outward;
    }

    String spawn() {
        return spawn;
    }

    EventLoop loop() {
        return loop;
    }

    ProxyServices around() {
        return around;
    }

    ProxyLimits limits() {
        return around.limits();
    }

    HostPolicy policy() {
        return policy;
    }

    Secrets secrets() {
        return secrets;
    }

    Set<String> placeholderNames() {
        return placeholders.keySet();
    }

    /** What stands inside the wall for the secret of that name. */
    String placeholder(String name) {
        return placeholders.getOrDefault(name, "");
    }

    /** The target that a client means: an address that stands for a name here is that name. */
    Target named(Target target) {
        InetAddress literal = HostNames.literal(target.host());
        if (literal instanceof Inet4Address && WallNames.isSynthetic(literal.getAddress())) {
            Set<String> known = names.namesOf(literal.getAddress());
            return known.size() == 1 ? new Target(target.tls(), known.iterator().next(), target.port()) : target;
        }
        return target;
    }

    WallNames names() {
        return names;
    }

    /** Takes a connection into account. @return false where there are too many */
    boolean add(Live connection) {
        if (closed || live.size() >= limits().connectionsMax()) {
            return false;
        }
        live.add(connection);
        connection.channel().closeFuture().addListener(unused -> live.remove(connection));
        return true;
    }

    /** Puts one in the place of another: the same connection, seen differently from now on. */
    void replace(Live before, Live after) {
        live.remove(before);
        live.add(after);
        after.channel().closeFuture().addListener(unused -> live.remove(after));
    }

    /**
     * Judges a request; the answer may come later, when a person has answered.
     *
     * @param verdict what the policy says of it
     */
    void decide(Target target, String method, Verdict verdict, Consumer<Verdict> answer) {
        String key = target.host() + ":" + target.port();
        if (verdict.allowed() || !verdict.askable()) {
            answer.accept(verdict);
        } else if (takeOnce(target)) {
            answer.accept(new Verdict(true, "a person allowed it once", false));
        } else {
            int askMs = policy.policy().askMs();
            boolean waits = askMs > 0
                    && asks.add(
                            key,
                            new Verdict(false, verdict.rule() + ", and nobody allowed it in time", true),
                            askMs,
                            answer,
                            () -> tellAsk(target, method, verdict, askMs));
            if (!waits) {
                answer.accept(verdict);
            }
        }
    }

    private boolean takeOnce(Target target) {
        HostPattern found = allowedOnce.stream()
                .filter(pattern -> pattern.matches(target.host(), target.port()))
                .findFirst()
                .orElse(null);
        return found != null && allowedOnce.remove(found);
    }

    private void tellAsk(Target target, String method, Verdict verdict, int askMs) {
        Map<String, Object> event = event("ask");
        event.put("host", target.host());
        event.put("port", target.port());
        event.put("method", method);
        event.put("rule", verdict.rule());
        event.put("deadlineMs", askMs);
        around.events().accept(event);
    }

    private void tellAnswered(String hostAndPort, Verdict verdict) {
        int colon = hostAndPort.lastIndexOf(':');
        Map<String, Object> event = event("answered");
        event.put("host", hostAndPort.substring(0, colon));
        event.put("port", Integer.parseInt(hostAndPort.substring(colon + 1)));
        event.put("allowed", verdict.allowed());
        event.put("rule", verdict.rule());
        around.events().accept(event);
    }

    /** A person allows a host: for now, or for one request. */
    void allow(String host, boolean once) {
        if (!once) {
            allowedMeanwhile.add(host);
            changePolicy(policy.policy());
            return;
        }
        HostPattern pattern = HostPattern.parse(host);
        for (String key : asks.open()) {
            boolean answered = matches(pattern, key)
                    && asks.answerFirst(key, new Verdict(true, "a person allowed it once", false));
            if (answered) {
                return;
            }
        }
        if (allowedOnce.size() < TOLD_MAX) {
            allowedOnce.add(pattern);
        }
    }

    private static boolean matches(HostPattern pattern, String hostAndPort) {
        int colon = hostAndPort.lastIndexOf(':');
        return pattern.matches(hostAndPort.substring(0, colon), Integer.parseInt(hostAndPort.substring(colon + 1)));
    }

    /** A person refuses a host for now: whoever waits for it is told. */
    void deny(String host) {
        HostPattern pattern = HostPattern.parse(host);
        for (String key : asks.open()) {
            if (matches(pattern, key)) {
                asks.answer(key, new Verdict(false, "a person refused it", false));
            }
        }
    }

    /** Another policy from now on: also for what is open or waits. */
    void changePolicy(EgressPolicy changed) {
        policy = new HostPolicy(changed, allowedMeanwhile);
        for (String key : asks.open()) {
            int colon = key.lastIndexOf(':');
            Verdict verdict = policy.host(key.substring(0, colon), Integer.parseInt(key.substring(colon + 1)));
            if (verdict.allowed() || !verdict.askable()) {
                asks.answer(key, verdict);
            }
        }
        List.copyOf(live).forEach(Live::recheck);
    }

    /** Values as they were read now; those that are missing have none any more. */
    void changeSecrets(Map<String, String> values) {
        Map<String, String> usable = new TreeMap<>(values);
        usable.keySet().removeAll(revoked);
        for (String name : placeholders.keySet()) {
            String before = secrets.value(name);
            if (before != null && !before.equals(usable.get(name))) {
                List<String> former = formerValues.computeIfAbsent(name, unused -> new ArrayList<>());
                former.add(before);
                if (former.size() > FORMER_VALUES_MAX) {
                    former.removeFirst();
                }
                LOG.info("the secret {} changed spawn_id={}", name, spawn);
            }
        }
        secrets = new Secrets(placeholders, usable, formerValues);
    }

    /** No request gets that secret any more. */
    void revoke(String name) {
        revoked.add(name);
        Map<String, String> left = new TreeMap<>();
        for (String other : placeholders.keySet()) {
            String value = secrets.value(other);
            if (value != null && !other.equals(name)) {
                left.put(other, value);
            }
        }
        changeSecrets(left);
    }

    /** Begins an event about this worker. */
    Map<String, Object> event(String kind) {
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("type", "event");
        event.put("worker", id);
        event.put("kind", kind);
        return event;
    }

    /** Writes what became of a request, and tells the worker-agent what a person should know. */
    void handleDecided(RequestRecord record) {
        Map<String, Object> entry = record.toMap(around.clock().millis(), spawn, agent, secrets);
        if (record.isBlocked() || policy.policy().auditNetwork()) {
            around.audit().accept(entry);
        }
        // What was allowed is told once for each host: a package manager makes thousands of requests. So is what
        // agents ask for
        // by habit.
        String kind =
                !record.isBlocked() ? "allowed" : policy.isQuiet(record.host(), record.port()) ? "quiet" : "blocked";
        boolean news = kind.equals("blocked")
                || ((record.isAllowed() || record.isBlocked())
                        && told.size() < TOLD_MAX
                        && told.add(kind + " " + record.host() + ":" + record.port()));
        if (news) {
            Map<String, Object> event = event(kind);
            for (String field : List.of("method", "scheme", "host", "port", "path", "rule", "secrets", "status")) {
                Object value = entry.get(field);
                if (value != null) {
                    event.put(field, value);
                }
            }
            around.events().accept(event);
        }
    }

    /** Adds an entry that is not about a request. */
    void handleNoted(String kind, Map<String, Object> fields) {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("ts", around.clock().millis());
        entry.put("spawn", spawn);
        entry.put("agent", agent);
        entry.put("kind", kind);
        entry.putAll(fields);
        around.audit().accept(entry);
        Map<String, Object> event = event(kind);
        event.putAll(fields);
        around.events().accept(event);
    }

    /** Whether that sub-agent was not met before. */
    boolean isNewSubAgent(String subAgent) {
        return subAgents.size() < TOLD_MAX && subAgents.add(subAgent);
    }

    /** Whether that is a sub-agent, as far as was seen. */
    boolean isSubAgent(String agent) {
        return subAgents.contains(agent);
    }

    /** The wall is gone. */
    void close() {
        closed = true;
        List.copyOf(live).forEach(connection -> connection.channel().close());
        inward.release();
        outward.release();
    }
}
