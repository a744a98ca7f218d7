package brig.egress.proxy;

import brig.egress.budget.WorkerBudget;
import brig.egress.connection.ProxyLimits;
import brig.egress.dns.WallNames;
import brig.egress.filter.SubAgents;
import brig.egress.http.Target;
import brig.egress.message.EgressCommand;
import brig.egress.message.EgressReport;
import brig.egress.policy.EgressPolicy;
import brig.egress.policy.HostPolicy;
import brig.egress.rate.LoopTimers;
import brig.egress.request.RequestRecord;
import brig.egress.request.RequestReports;
import brig.egress.secret.WorkerSecrets;
import brig.protocol.address.HostNames;
import brig.protocol.egress.EgressEvent;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import io.netty.handler.traffic.GlobalTrafficShapingHandler;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The proxy's state of one worker, owned by its event loop.
 *
 * <p>Decision 0056.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
final class WorkerEgress {
    /** A connection that must not outlive its permission. */
    interface Live {
        /** The policy changed. */
        void recheck();

        Channel channel();
    }

    private static final long PACE_MS = 100;
    private static final long WAITING_BYTES_MAX = 256 * 1024;

    private final String spawn;
    private final EventLoop loop;
    private final ProxyServices around;
    private final WallNames names = new WallNames();
    private final Decisions decisions;
    private final WorkerSecrets secrets;
    private final RequestReports reports;
    private final SubAgents subAgents;
    private final LoginWaits logins;
    private final WorkerBudget budget;
    private final ByteMeter meter;
    /** What its requests take that are not whole yet. */
    private final AtomicLong heldBytes = new AtomicLong();

    private final Turns turns;
    private final Set<Live> live = new HashSet<>();
    private final GlobalTrafficShapingHandler inward;
    private final GlobalTrafficShapingHandler outward;
    private boolean closed;

    WorkerEgress(EgressCommand.Register registration, EventLoop loop, ProxyServices around) {
        Consumer<EgressEvent> events =
                event -> around.events().accept(new EgressReport.Event(registration.worker(), event));
        this.spawn = registration.spawn();
        this.loop = loop;
        this.inward = pace(loop, around.limits().bytesPerSecondMax());
        this.outward = pace(loop, around.limits().bytesPerSecondMax());
        this.around = around;
        this.decisions = new Decisions(loop, registration.policy(), registration.allowed(), events);
        registration.allowedOnce().forEach(decisions::allowOnce);
        this.secrets = new WorkerSecrets(spawn, registration.placeholders(), registration.revoked());
        this.reports = new RequestReports(spawn, registration.agent(), around.audit(), events, around.clock());
        this.logins = new LoginWaits(
                registration.asksForLogins(),
                loop,
                (secret, byVendor, change) -> around.events()
                        .accept(new EgressReport.LoginRefused(registration.worker(), secret, byVendor, change)));
        this.subAgents = new SubAgents(reports::handleNoted);
        this.budget = new WorkerBudget(spawn, registration.purses(), around.spending(), events);
        this.meter = new ByteMeter(budget);
        this.turns = new Turns(new LoopTimers(loop, around.clock()), events);
    }

    /**
     * Limits the rate. A little excess is queued; then the channel becomes unwritable, and the other side is not read.
     */
    private static GlobalTrafficShapingHandler pace(EventLoop loop, long bytesPerSecondMax) {
        var pace = new GlobalTrafficShapingHandler(loop, bytesPerSecondMax, 0, PACE_MS);
        pace.setMaxWriteSize(WAITING_BYTES_MAX);
        return pace;
    }

    AtomicLong heldBytes() {
        return heldBytes;
    }

    /** The handler for each connection from the agent. */
    ChannelHandler inward() {
        return inward;
    }

    /** The handler for each connection to the outside. */
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
        return decisions.policy();
    }

    /** The policy and the decisions of people. */
    Decisions decisions() {
        return decisions;
    }

    WorkerSecrets secrets() {
        return secrets;
    }

    /** Requests that wait for a login. */
    LoginWaits logins() {
        return logins;
    }

    void changeSecrets(EgressCommand.Secrets change) {
        secrets.change(change.values());
        logins.handleChange(secrets.now(), change);
    }

    RequestReports reports() {
        return reports;
    }

    SubAgents subAgents() {
        return subAgents;
    }

    WorkerBudget budget() {
        return budget;
    }

    /** Its requests that wait for a provider. */
    Turns turns() {
        return turns;
    }

    /** Charges the bytes of connections. */
    ByteMeter meter() {
        return meter;
    }

    /** The target with a synthetic address replaced by its name. */
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

    /** Adds a connection. @return false if there are too many */
    boolean add(Live connection) {
        if (closed || live.size() >= limits().connectionsMax()) {
            return false;
        }
        live.add(connection);
        connection.channel().closeFuture().addListener(unused -> live.remove(connection));
        return true;
    }

    /** Replaces the object of a connection. */
    void replace(Live before, Live after) {
        live.remove(before);
        live.add(after);
        after.channel().closeFuture().addListener(unused -> live.remove(after));
    }

    /** A person allows a host, for one request or from now on. */
    void allow(String host, boolean once) {
        if (once) {
            decisions.allowOnce(host);
        } else {
            decisions.allow(host);
            recheck();
        }
    }

    /** Replaces the policy, also for open connections and waiting requests. */
    void changePolicy(EgressPolicy changed) {
        decisions.changePolicy(changed);
        recheck();
    }

    private void recheck() {
        List.copyOf(live).forEach(Live::recheck);
    }

    /** Reports the outcome of a request. */
    void handleDecided(RequestRecord record) {
        reports.handleDecided(record, policy(), secrets.now());
    }

    /** The wall ended. */
    void close() {
        closed = true;
        List.copyOf(live).forEach(connection -> connection.channel().close());
        inward.release();
        outward.release();
        budget.close();
        turns.close();
    }
}
