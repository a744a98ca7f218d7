package brig.egress.policy;

import brig.protocol.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a policy and further wishes have in common. Wishes only take away: what the policy does not allow no wish can add.
 *
 * @param hosts those that are wanted; none allows nothing
 * @param secretHosts where each secret is wanted to go, by its name; a secret that is not there is not wanted
 * @param dns null to leave it to the policy
 */
public record Narrowing(
        List<String> hosts,
        Map<String, List<String>> secretHosts,
        @Nullable DnsMode dns,
        boolean audit) {
    private static final Set<Integer> WEB = Set.of(80, 443);

    /** @throws IllegalArgumentException where a host is none */
    public Narrowing {
        hosts.forEach(HostPattern::parse);
        secretHosts.values().forEach(list -> list.forEach(HostPattern::parse));
    }

    public EgressPolicy of(EgressPolicy policy) {
        DnsMode stricter = dns != null && dns.compareTo(policy.dns()) < 0 ? dns : policy.dns();
        return policy.with(allowed(policy), secrets(policy), stricter, policy.auditNetwork() || audit);
    }

    /** Each entry of the policy as far as it is wanted, with its methods and paths. */
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

    /** Secrets of model routes stay, for these are the operator's own; they go to no other host then. */
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

    /** @param unnamed the ports that a host without one means; empty for all */
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
