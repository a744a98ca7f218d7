package brig.egress.proxy;

import brig.egress.http.OverridingMethods;
import brig.egress.http.Target;
import brig.egress.policy.HostPolicy;
import brig.egress.policy.Verdict;
import io.netty.handler.codec.http.HttpRequest;

/** Judges one request: at first, and again when the policy changes. */
final class RequestJudge {
    private final HttpRequest request;
    /** Whether a person, not the policy, allowed it. */
    private boolean granted;

    RequestJudge(HttpRequest request, Destination destination) {
        this.request = request;
        this.granted = destination instanceof Destination.Fixed fixed && fixed.granted();
    }

    Verdict judge(Destination.Found target, HostPolicy policy) {
        Target to = target.target();
        Verdict toHost = policy.host(to.host(), to.port());
        boolean forbidden = !toHost.allowed() && !toHost.askable();
        if (target.route() != null && !forbidden) {
            return new Verdict(true, "modelRoutes has " + target.routeName(), false);
        }
        if (granted && !toHost.allowed() && !forbidden) {
            return new Verdict(true, "a person allowed this connection", false);
        }
        for (String method : OverridingMethods.of(request, target.pathAndQuery())) {
            Verdict verdict = policy.request(to.host(), to.port(), method, target.path());
            if (!verdict.allowed()) {
                return verdict;
            }
        }
        return policy.request(to.host(), to.port(), request.method().name(), target.path());
    }

    /** Notes that it was allowed under that policy. */
    void handleAllowed(Target to, HostPolicy policy) {
        granted |= !policy.host(to.host(), to.port()).allowed();
    }

    /** Whether a running request may continue. */
    boolean stays(Verdict verdict) {
        return verdict.allowed() || (granted && verdict.askable());
    }
}
