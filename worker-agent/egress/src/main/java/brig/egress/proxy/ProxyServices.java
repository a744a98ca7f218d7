package brig.egress.proxy;

import brig.egress.budget.Spending;
import brig.egress.connection.Dialer;
import brig.egress.connection.ProxyLimits;
import brig.egress.dns.NameServers;
import brig.egress.message.EgressReport;
import brig.egress.price.Prices;
import brig.egress.rate.RouteGates;
import brig.egress.tls.LeafCertificates;
import brig.protocol.egress.AuditLine;
import java.time.Clock;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Services that all workers of the process share.
 *
 * @param audit receives audit entries; never blocks
 * @param events receives events for the worker-agent; never blocks
 * @param threads runs blocking work
 */
public record ProxyServices(
        Dialer dialer,
        LeafCertificates leaves,
        Consumer<AuditLine> audit,
        Consumer<EgressReport> events,
        NameServers nameServers,
        Executor threads,
        ProxyLimits limits,
        Supplier<Prices> prices,
        Spending spending,
        RouteGates gates,
        Clock clock) {}
