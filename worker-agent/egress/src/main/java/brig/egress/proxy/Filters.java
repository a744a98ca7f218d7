package brig.egress.proxy;

import brig.egress.filter.AuditFilter;
import brig.egress.filter.ExchangeFilter;
import brig.egress.filter.FilterChain;
import brig.egress.filter.SecretFilter;
import brig.egress.filter.UsageFilter;
import brig.egress.http.Target;
import brig.egress.policy.EgressPolicy;
import brig.egress.policy.HostPolicy;
import brig.egress.request.RequestRecord;
import brig.egress.secret.Injection;
import brig.egress.secret.Secrets;
import io.netty.handler.codec.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;

/** Chooses the filters of an allowed request. */
final class Filters {
    private Filters() {}

    static FilterChain of(
            HttpRequest request,
            Destination.Found found,
            WorkerEgress worker,
            HostPolicy policy,
            RequestRecord record,
            AuditFilter audit) {
        Secrets secrets = worker.secrets().now();
        EgressPolicy.ModelRoute route = found.route();
        List<ExchangeFilter> filters = new ArrayList<>();
        boolean hasCredential = route != null && !route.secret().isEmpty();
        if (hasCredential || !secrets.isEmpty()) {
            filters.add(secretFilter(request, found, worker, policy, record));
        }
        if (route != null) {
            filters.add(new UsageFilter(
                    found.routeName(),
                    request,
                    worker.subAgents(),
                    record,
                    text -> worker.secrets().now().scrub(text),
                    worker.reports()::handleNoted));
        }
        filters.add(audit);
        return new FilterChain(filters);
    }

    private static SecretFilter secretFilter(
            HttpRequest request,
            Destination.Found found,
            WorkerEgress worker,
            HostPolicy policy,
            RequestRecord record) {
        Secrets secrets = worker.secrets().now();
        EgressPolicy.ModelRoute route = found.route();
        Target to = found.target();
        String routeSecret = route == null ? "" : route.secret();
        Injection injection = new Injection(
                secrets,
                name -> name.equals(routeSecret) || policy.secretGoesTo(name, to.host(), to.port()),
                name -> !to.tls() && !isPlaintextAllowed(policy, name));
        boolean rewrites = !secrets.isEmpty();
        boolean scrubs = !routeSecret.isEmpty()
                || secrets.names().stream().anyMatch(name -> policy.secretGoesTo(name, to.host(), to.port()));
        SecretFilter.Scope scope = new SecretFilter.Scope(
                rewrites, rewrites && SecretFilter.isIdentity(request), scrubs, name -> isInQuery(policy, name));
        SecretFilter.Credential credential = route == null || routeSecret.isEmpty()
                ? null
                : new SecretFilter.Credential(route.header(), worker.secrets().placeholder(routeSecret));
        return new SecretFilter(injection, scope, credential, record::use);
    }

    private static boolean isPlaintextAllowed(HostPolicy policy, String name) {
        EgressPolicy.Secret secret = policy.policy().secrets().get(name);
        return secret != null && secret.allowPlaintext();
    }

    private static boolean isInQuery(HostPolicy policy, String name) {
        EgressPolicy.Secret secret = policy.policy().secrets().get(name);
        return secret != null && secret.inQuery();
    }
}
