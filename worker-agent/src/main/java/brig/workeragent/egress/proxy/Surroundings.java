package brig.workeragent.egress.proxy;

import brig.workeragent.egress.audit.AuditLog;
import brig.workeragent.egress.secret.SecretSources;
import brig.workeragent.egress.tls.Leaves;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * What all workers of the process share.
 *
 * @param events takes what the worker-agent should know; never waits
 * @param threads for what blocks
 */
record Surroundings(Dialer dialer, Leaves leaves, AuditLog audit, Consumer<Map<String, Object>> events,
        SecretSources sources, NameServers nameServers, Executor threads, ProxyLimits limits, Clock clock) {}
