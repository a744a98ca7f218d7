package brig.egress.proxy;

import brig.egress.budget.ModelCall;
import brig.egress.filter.AuditFilter;
import brig.egress.filter.AwsFilter;
import brig.egress.filter.BudgetFilter;
import brig.egress.filter.ExchangeFilter;
import brig.egress.filter.FilterChain;
import brig.egress.filter.RateFilter;
import brig.egress.filter.SecretFilter;
import brig.egress.filter.UsageFilter;
import brig.egress.http.Target;
import brig.egress.policy.EgressPolicy;
import brig.egress.policy.HostPolicy;
import brig.egress.price.Prices;
import brig.egress.price.Tokens;
import brig.egress.request.RequestRecord;
import brig.egress.secret.AwsCredentials;
import brig.egress.secret.Injection;
import brig.egress.secret.SecretRefusedException;
import brig.egress.secret.Secrets;
import brig.protocol.egress.EgressEvent;
import io.netty.handler.codec.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** Chooses the filters of an allowed request. */
final class Filters {
    private Filters() {}

    /** What models cost at an address. */
    private record Cost(WorkerEgress worker, String url) implements BudgetFilter.Price {
        @Override
        public OptionalDouble of(String model, Tokens charged) {
            return prices().cost(url, model, worker.around().clock().instant(), charged);
        }

        @Override
        public OptionalDouble most(String model, long input, long output) {
            return prices().most(url, model, worker.around().clock().instant(), input, output);
        }

        private Prices prices() {
            return worker.around().prices().get();
        }
    }

    static FilterChain of(
            HttpRequest request,
            Destination.Found found,
            WorkerEgress worker,
            HostPolicy policy,
            RequestRecord record,
            @Nullable Turn turn,
            AuditFilter audit) {
        Secrets secrets = worker.secrets().now();
        EgressPolicy.ModelRoute route = found.route();
        List<ExchangeFilter> filters = new ArrayList<>();
        boolean hasCredential = route != null && !route.secret().isEmpty();
        if (hasCredential || !secrets.isEmpty()) {
            filters.add(secretFilter(request, found, worker, policy, record));
        }
        if (route != null) {
            String url = found.target().scheme() + "://" + found.target().authority() + found.path();
            Cost cost = new Cost(worker, url);
            BudgetFilter budget = worker.budget().chargesCalls()
                    ? new BudgetFilter(request, found.path(), reader(route, found.path()), worker.budget(), cost)
                    : null;
            filters.add(new UsageFilter(found.routeName(), request, worker.subAgents(), record, cost, counted -> {
                EgressEvent.Usage used = counted.usage();
                worker.reports().handleNoted(used.of(worker.secrets().now().scrub(used.model())));
                if (budget != null) {
                    budget.handleCounted(counted);
                }
            }));
            if (budget != null) {
                filters.add(budget);
            }
        }
        if (turn != null) {
            filters.add(new RateFilter(turn.pass()));
        }
        if (route != null && route.isSigned()) {
            filters.add(signature(route, found.target(), worker, policy, record));
        }
        filters.add(audit);
        return new FilterChain(filters);
    }

    private static ModelCall.Reader reader(EgressPolicy.ModelRoute route, String path) {
        return route.api().isEmpty() ? ModelCall::read : ModelCall.inCloud(path);
    }

    private static AwsFilter signature(
            EgressPolicy.ModelRoute route, Target to, WorkerEgress worker, HostPolicy policy, RequestRecord record) {
        String name = route.secret();
        String value = worker.secrets().now().value(name);
        if (value == null) {
            throw new SecretRefusedException("the secret " + name + " has no value now");
        }
        AwsCredentials credentials = AwsCredentials.read(value);
        if (credentials == null) {
            throw new SecretRefusedException("the secret " + name + " has no credentials of AWS");
        }
        if (!to.tls() && !isPlaintextAllowed(policy, name)) {
            throw new SecretRefusedException("requests that are signed with " + name + " travel over TLS only");
        }
        return new AwsFilter(name, credentials, route.region(), worker.around().clock(), record::use);
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
        boolean isSigned = route != null && route.isSigned();
        Injection injection = new Injection(
                secrets,
                name -> (name.equals(routeSecret) && !isSigned) || policy.secretGoesTo(name, to.host(), to.port()),
                name -> !to.tls() && !isPlaintextAllowed(policy, name));
        boolean rewrites = !secrets.isEmpty();
        boolean scrubs = !routeSecret.isEmpty()
                || secrets.names().stream().anyMatch(name -> policy.secretGoesTo(name, to.host(), to.port()));
        SecretFilter.Scope scope = new SecretFilter.Scope(
                rewrites, rewrites && SecretFilter.isIdentity(request), scrubs, name -> isInQuery(policy, name));
        SecretFilter.Credential credential = route == null || routeSecret.isEmpty() || isSigned
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
