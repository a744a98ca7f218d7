package brig.egress.proxy;

import brig.egress.tls.LeafCertificates;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * What all workers of the process share.
 *
 * @param audit takes what goes on record; never waits
 * @param events takes what the worker-agent should know; never waits
 * @param threads for what blocks
 */
record ProxyServices(
        Dialer dialer,
        LeafCertificates leaves,
        Consumer<Map<String, Object>> audit,
        Consumer<Map<String, Object>> events,
        NameServers nameServers,
        Executor threads,
        ProxyLimits limits,
        Clock clock) {}
