package brig.egress.proxy;

import brig.egress.connection.Dialer;
import brig.egress.connection.ProxyLimits;
import brig.egress.dns.NameServers;
import brig.egress.message.EgressReport;
import brig.egress.tls.LeafCertificates;
import brig.protocol.egress.AuditLine;
import java.time.Clock;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

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
        Consumer<EgressReport.Event> events,
        NameServers nameServers,
        Executor threads,
        ProxyLimits limits,
        Clock clock) {}
