package brig.egress.policy;

import brig.protocol.address.HostNames;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A compiled policy, checked for each connection and each request; immutable. Hosts are normalized as by
 * {@link HostNames#normalize}.
 *
 * <p>Decision 0050.
 */
public final class HostPolicy {
    private final EgressPolicy policy;
    private final List<HostRule> allowed;
    private final List<HostPattern> denied;
    private final List<HostPattern> tunnelled;
    private final List<HostPattern> quiet;
    private final Map<String, List<HostPattern>> secretHosts = new TreeMap<>();

    public HostPolicy(EgressPolicy policy) {
        this(policy, List.of());
    }

    /** @param more hosts that a person allowed since */
    public HostPolicy(EgressPolicy policy, List<String> more) {
        this.policy = policy;
        this.allowed = new ArrayList<>(policy.rules());
        more.forEach(host -> allowed.add(HostRule.parse(host)));
        this.denied = policy.deniedHosts().stream().map(HostPattern::parse).toList();
        this.tunnelled = policy.tunnelHosts().stream().map(HostPattern::parse).toList();
        this.quiet = policy.quietHosts().stream().map(HostPattern::parse).toList();
        policy.secrets()
                .forEach((name, secret) -> secretHosts.put(
                        name, secret.hosts().stream().map(HostPattern::parse).toList()));
    }

    /** This policy with one more allowed host and port; if the host is an address, also that address. */
    public HostPolicy with(String host, int port) {
        return new HostPolicy(policy, List.of(new HostPort(host, port).toString()));
    }

    public EgressPolicy policy() {
        return policy;
    }

    /** Whether any request may go there. */
    public Verdict host(String host, int port) {
        HostPattern no = denial(host, port);
        if (no != null) {
            return Verdict.forbidden("deniedHosts has " + no.text());
        }
        for (HostRule rule : allowed) {
            if (rule.matches(host, port)) {
                return Verdict.allowed("allowedHosts has " + rule.pattern().text());
            }
        }
        boolean otherPort = allowed.stream().anyMatch(rule -> rule.pattern().matchesHost(host));
        return Verdict.unknown(
                otherPort
                        ? "allowedHosts has " + host + " with other ports than " + port
                        : "allowedHosts does not have " + host);
    }

    /** Whether a connection to that host is allowed on some port. */
    public boolean namesHost(String host) {
        return allowed.stream()
                .anyMatch(rule -> rule.pattern().matchesHost(host)
                        && denied.stream().noneMatch(p -> p.port() == 0 && p.matchesHost(host)));
    }

    /** Whether this request may go there. {@code path} is without the query. */
    public Verdict request(String host, int port, String method, String path) {
        Verdict toHost = host(host, port);
        if (!toHost.allowed()) {
            return toHost;
        }
        for (HostRule rule : allowed) {
            if (rule.matches(host, port) && rule.permits(method, path)) {
                return Verdict.allowed("allowedHosts has " + rule.pattern().text());
            }
        }
        return Verdict.forbidden("allowedHosts has " + host + " with other methods or paths only");
    }

    /** Whether the connection passes unread; methods and paths are then not checked. */
    public boolean tunnels(String host, int port) {
        return tunnelled.stream().anyMatch(p -> p.matches(host, port))
                && allowed.stream().anyMatch(rule -> rule.matches(host, port) && !rule.isBounded());
    }

    private @Nullable HostPattern denial(String host, int port) {
        return denied.stream().filter(p -> p.matches(host, port)).findFirst().orElse(null);
    }

    /** The entry of {@code deniedHosts} that forbids this name, so that nobody can allow it; null if there is none. */
    public @Nullable String closedBy(HostPattern name) {
        if (name.below() || name.range() != null) {
            return null;
        }
        return denied.stream()
                .filter(p -> p.matchesHost(name.name()) && (p.port() == 0 || p.port() == name.port()))
                .map(HostPattern::text)
                .findFirst()
                .orElse(null);
    }

    /** Whether an entry of {@code deniedHosts} matches that address, whatever name leads to it. */
    public boolean deniesAddress(InetAddress address, int port) {
        return denied.stream().anyMatch(p -> (p.port() == 0 || p.port() == port) && p.matchesAddress(address));
    }

    /** Whether {@code allowedHosts} has that address itself, which opens addresses that names may not lead to. */
    public boolean namesAddress(InetAddress address, int port) {
        return allowed.stream()
                .anyMatch(rule -> rule.matchesPort(port) && rule.pattern().matchesAddress(address));
    }

    /** Whether the host is in {@code quietHosts}. */
    public boolean isQuiet(String host, int port) {
        return quiet.stream().anyMatch(p -> p.matches(host, port));
    }

    /** Whether that secret may go to that port of that host. */
    public boolean secretGoesTo(String secret, String host, int port) {
        return secretHosts.getOrDefault(secret, List.of()).stream().anyMatch(p -> p.matches(host, port));
    }
}
