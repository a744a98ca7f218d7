package brig.egress.proxy;

import brig.egress.http.Target;
import brig.egress.policy.EgressPolicy;
import brig.egress.policy.HostPolicy;
import brig.egress.request.Refusal;
import brig.protocol.address.HostNames;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How requests of a connection name their target. */
sealed interface Destination {
    /** A request's target. {@code route} is null unless it is a model route. */
    record Found(Target target, String pathAndQuery, EgressPolicy.@Nullable ModelRoute route, String routeName) {
        /** The policy for its address: the operator's base URL may be one that names may not lead to. */
        HostPolicy dialledBy(HostPolicy policy) {
            return route == null ? policy : policy.with(target.host(), target.port());
        }

        String path() {
            int query = pathAndQuery.indexOf('?');
            return query < 0 ? pathAndQuery : pathAndQuery.substring(0, query);
        }

        /** Whether the request would find it now, with the same secret. */
        boolean isStill(Destination destination, HttpRequest request, WorkerEgress worker) {
            try {
                Found now = destination.find(request, worker);
                return now.target().equals(target)
                        && Objects.equals(
                                now.route() == null ? null : now.route().secret(),
                                route == null ? null : route.secret());
            } catch (Refusal.RefusedException e) {
                return false;
            }
        }
    }

    /** Finds the target, or throws a {@link Refusal.RefusedException}. */
    Found find(HttpRequest request, WorkerEgress worker);

    /** A proxy request: the request line names the target. */
    record Named() implements Destination {
        @Override
        public Found find(HttpRequest request, WorkerEgress worker) {
            String uri = request.uri();
            String lower = uri.substring(0, Math.min(uri.length(), 8)).toLowerCase(Locale.ROOT);
            boolean tls = lower.startsWith("https://");
            if (!tls && !lower.startsWith("http://")) {
                throw Refusal.malformed("this is a proxy: the request line must name http://host/path")
                        .asException();
            }
            String rest = uri.substring(tls ? 8 : 7);
            int end = 0;
            while (end < rest.length() && rest.charAt(end) != '/' && rest.charAt(end) != '?') {
                end++;
            }
            Target target = Target.parse(rest.substring(0, end), tls, tls ? 443 : 80);
            if (target == null) {
                throw Refusal.malformed("the request line names no host").asException();
            }
            String path = rest.substring(end);
            target = worker.named(target);
            requireSameHost(request, target, rest.substring(0, end));
            return new Found(target, path.startsWith("/") ? path : "/" + path, null, "");
        }
    }

    /**
     * The connection has a fixed target: from CONNECT and the TLS server name, or from its address.
     *
     * @param hosts one host, or several that share an address
     * @param granted whether a person allowed this connection
     */
    record Fixed(Set<String> hosts, int port, boolean tls, boolean granted) implements Destination {
        @Override
        public Found find(HttpRequest request, WorkerEgress worker) {
            if (!request.uri().startsWith("/") && !request.uri().equals("*")) {
                throw Refusal.malformed("the request line must begin with a path")
                        .asException();
            }
            for (String host : hosts) {
                Target target = new Target(tls, host, port);
                List<String> named = request.headers().getAll(HttpHeaderNames.HOST);
                if (hosts.size() == 1 || (named.size() == 1 && target.isSameHost(named.getFirst()))) {
                    requireSameHost(request, target, "");
                    return new Found(target, request.uri(), null, "");
                }
            }
            throw Refusal.blocked("the Host header names none of " + hosts).asException();
        }
    }

    /** The first segment of the path names a model route. */
    record Models() implements Destination {
        private static final Pattern DOT_SEGMENT =
                Pattern.compile("(?i)(?:/|%2f|\\\\|%5c)(?:\\.|%2e){1,2}(?:[/?;\\\\]|%2f|%5c|$)");

        @Override
        public Found find(HttpRequest request, WorkerEgress worker) {
            String uri = request.uri();
            int end = 1;
            while (end < uri.length() && uri.charAt(end) != '/' && uri.charAt(end) != '?') {
                end++;
            }
            String name = uri.startsWith("/") ? uri.substring(1, end) : "";
            EgressPolicy.ModelRoute route =
                    worker.policy().policy().modelRoutes().get(name);
            if (route == null) {
                String shown = name.length() > 64 ? "…" : name;
                throw Refusal.blocked("modelRoutes has no '" + shown + "'").asException();
            }
            String path = uri.substring(end);
            if (DOT_SEGMENT.matcher(path).find()) {
                throw Refusal.malformed("the path leaves the route").asException();
            }
            String base = Objects.requireNonNullElse(route.url().getRawPath(), "");
            String joined = (base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + path;
            return new Found(
                    new Target(route.isTls(), route.host(), route.port()),
                    joined.startsWith("/") ? joined : "/" + joined,
                    route,
                    name);
        }
    }

    /** Requires one Host header that names the target, as HTTP/1.1 demands. */
    private static void requireSameHost(HttpRequest request, Target target, String asWritten) {
        List<String> named = request.headers().getAll(HttpHeaderNames.HOST);
        if (named.isEmpty() && !request.protocolVersion().equals(HttpVersion.HTTP_1_1)) {
            return;
        }
        if (named.size() != 1) {
            throw Refusal.malformed("there must be one Host header").asException();
        }
        boolean same = target.isSameHost(named.getFirst()) || named.getFirst().equalsIgnoreCase(asWritten);
        if (!same) {
            String shown = HostNames.normalize(named.getFirst().replaceAll(":[0-9]*$", ""));
            throw Refusal.blocked("the Host header names " + (shown == null ? "something" : shown)
                            + ", but the connection goes to " + target.authority())
                    .asException();
        }
    }
}
