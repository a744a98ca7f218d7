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
 * What all workers of the process share.
 *
 * @param audit takes what goes on record; never waits
 * @param events takes what the worker-agent should know; never waits
 * @param threads for what blocks
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
