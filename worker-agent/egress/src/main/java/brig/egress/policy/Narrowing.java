package brig.egress.policy;

import brig.protocol.address.Cidr;
import brig.protocol.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Restricts a policy to what a request asks for: the intersection of both. It can never add anything.
 *
 * @param hosts the requested hosts; an empty list allows nothing
 * @param secretHosts the requested hosts of each secret, by name; absent secrets are removed
 * @param dns null keeps the policy's mode
 */
public record Narrowing(
        List<String> hosts,
        Map<String, List<String>> secretHosts,
        @Nullable DnsMode dns,
        boolean audit) {
    private static final Set<Integer> WEB = Set.of(80, 443);

    /** @throws IllegalArgumentException if a host is invalid */
    public Narrowing {
        hosts.forEach(HostPattern::parse);
        secretHosts.values().forEach(list -> list.forEach(HostPattern::parse));
    }

    public EgressPolicy of(EgressPolicy policy) {
        DnsMode stricter = dns != null && dns.compareTo(policy.dns()) < 0 ? dns : policy.dns();
        return policy.with(allowed(policy), secrets(policy), stricter, policy.auditNetwork() || audit);
    }

    /** The intersection of the policy's entries and the requested hosts, with the entries' methods and paths. */
    private List<Object> allowed(EgressPolicy policy) {
        List<Object> common = new ArrayList<>();
        for (Object entry : policy.allowedHosts()) {
            for (String host : hosts) {
                for (String both : common(HostRule.parse(entry).pattern(), HostPattern.parse(host), WEB)) {
                    common.add(entry instanceof JsonObject bounded ? bounded.with("host", both) : both);
                }
            }
        }
        return common.stream().distinct().toList();
    }

    /** Secrets of the operator's model routes stay, but go to no other host. */
    private Map<String, EgressPolicy.Secret> secrets(EgressPolicy policy) {
        Map<String, EgressPolicy.Secret> common = new TreeMap<>();
        policy.secrets().forEach((name, secret) -> {
            boolean routed = policy.modelRoutes().values().stream()
                    .anyMatch(route -> route.secret().equals(name));
            List<String> wanted = secretHosts.get(name);
            if (wanted == null && !routed) {
                return;
            }
            Set<String> both = new TreeSet<>();
            for (String one : secret.hosts()) {
                for (String other : wanted == null ? List.<String>of() : wanted) {
                    both.addAll(common(HostPattern.parse(one), HostPattern.parse(other), Set.of()));
                }
            }
            common.put(name, secret.onlyTo(List.copyOf(both)));
        });
        return common;
    }

    /** @param unnamed the ports that a host without a port stands for; empty for all */
    private static List<String> common(HostPattern one, HostPattern other, Set<Integer> unnamed) {
        HostPattern narrower = covers(one, other) ? other : covers(other, one) ? one : null;
        if (narrower == null) {
            return List.of();
        }
        if (one.port() == other.port()) {
            return List.of(narrower.text());
        }
        int port = Math.max(one.port(), other.port());
        boolean both = Math.min(one.port(), other.port()) == 0 && (unnamed.isEmpty() || unnamed.contains(port));
        return both ? List.of(narrower.withPort(port)) : List.of();
    }

    private static boolean covers(HostPattern wide, HostPattern narrow) {
        Cidr range = wide.range();
        Cidr part = narrow.range();
        if (range != null || part != null) {
            return range != null && part != null && range.bits() <= part.bits() && range.contains(part.network());
        }
        boolean same = narrow.name().equals(wide.name());
        if (!wide.below()) {
            return same && !narrow.below();
        }
        return narrow.name().endsWith("." + wide.name()) || (same && narrow.below());
    }
}
