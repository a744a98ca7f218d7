package brig.workeragent.egress;

import brig.egress.policy.EgressPolicy;
import brig.egress.policy.HostPattern;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.egress.AuditEvent;
import brig.workeragent.worker.EgressSessions;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A worker with egress, with or without a running process. */
final class EgressSession {
    private static final int UNAUTHORIZED = 401;

    final boolean hasWayOut;
    final EgressSessions.Source source;
    final EgressSessions.Listener listener;
    final Set<String> allowed = new LinkedHashSet<>();
    final Set<String> revoked = new HashSet<>();
    /** Hosts that a person allowed for one request while no brig-egress ran. */
    final Set<String> allowedOnce = new LinkedHashSet<>();
    /** Why logins have no token, by the secret's name. */
    private final Map<String, String> lostLogins = new ConcurrentHashMap<>();
    /** Secrets with a login that requests began to wait for. */
    private final Set<String> wantedLogins = ConcurrentHashMap.newKeySet();
    /** Tokens that vendors refused, by the secret's name: while a person is asked, they are not used again. */
    private final Map<String, String> refusedTokens = new ConcurrentHashMap<>();

    EgressSession(boolean hasWayOut, EgressSessions.Source source, EgressSessions.Listener listener) {
        this.hasWayOut = hasWayOut;
        this.source = source;
        this.listener = listener;
    }

    /** Ports that a person allowed. */
    List<Integer> allowedPorts() {
        return allowed.stream()
                .map(host -> HostPattern.parse(host).port())
                .filter(port -> port > 0)
                .distinct()
                .toList();
    }

    /** The login of a request that a vendor refused; empty if it was not for that. */
    Optional<Path> refusedLogin(AuditEvent.Result result) {
        if (result.status() != UNAUTHORIZED || result.secrets().isEmpty()) {
            return Optional.empty();
        }
        return result.secrets().stream().flatMap(name -> login(name).stream()).findFirst();
    }

    /** The file of a secret's login; empty if it has none. */
    Optional<Path> login(String secret) {
        return Optional.ofNullable(policyNow().secrets().get(secret))
                .map(EgressPolicy.Secret::login)
                .filter(login -> !login.isEmpty())
                .map(Path::of);
    }

    /** The files of its logins. */
    List<Path> logins() {
        return policyNow().secrets().keySet().stream()
                .flatMap(secret -> login(secret).stream())
                .toList();
    }

    /**
     * A request waits for a login.
     *
     * @param refused the token that its vendor refused; null if it has none
     */
    void handleLoginWanted(String secret, @Nullable String refused) {
        if (refused != null) {
            refusedTokens.put(secret, refused);
        }
        wantedLogins.add(secret);
    }

    /** A person was asked: tokens that were refused are tried again. */
    void forgetRefusals() {
        refusedTokens.keySet().retainAll(askedLogins());
    }

    /** The secrets whose login a person is asked about. */
    List<String> askedLogins() {
        EgressSessions.LoginAsker asker = listener.logins();
        return asker == null ? List.of() : asker.asked();
    }

    /**
     * Tells the worker, once, of logins without a token, and asks a person about those that requests wait for. Removes the
     * tokens that their vendors refuse.
     *
     * @param values the values of all secrets
     * @param why a secret has none
     */
    void checkLogins(EgressPolicy policy, Map<String, String> values, Function<String, @Nullable String> why) {
        policy.secrets().forEach((name, secret) -> {
            if (!secret.login().isEmpty()) {
                checkLogin(policy, name, values, why);
            }
        });
    }

    private void checkLogin(
            EgressPolicy policy, String name, Map<String, String> values, Function<String, @Nullable String> why) {
        EgressSessions.LoginAsker asker = listener.logins();
        String token = values.get(name);
        boolean isRefused = token != null && token.equals(refusedTokens.get(name));
        String fault = token == null ? why.apply(name) : isRefused ? "the vendor refuses its token" : null;
        if (isRefused) {
            values.remove(name);
        }
        if (fault == null) {
            lostLogins.remove(name);
            wantedLogins.remove(name);
            refusedTokens.remove(name);
            if (asker != null) {
                asker.handleBack(name);
            }
            return;
        }
        if (!fault.equals(lostLogins.put(name, fault))) {
            listener.handleFault(new BrigException(
                    ErrorCode.LOGIN_REFUSED, "the agent cannot reach its model with " + name + ": " + fault));
        }
        if (asker != null && wantedLogins.remove(name)) {
            String route = routeOf(policy, name);
            EgressPolicy.ModelRoute to = policy.modelRoutes().get(route);
            boolean isVertex = to != null && to.api().equals(EgressPolicy.ModelRoute.VERTEX);
            asker.ask(name, route, isVertex ? "brig route set " + route + " --vertex" : "brig login " + route, fault);
        }
    }

    /** The name of the route with that secret. */
    private static String routeOf(EgressPolicy policy, String secret) {
        return policy.modelRoutes().entrySet().stream()
                .filter(route -> route.getValue().secret().equals(secret))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(secret);
    }

    /** The current policy; an unreadable one allows nothing. */
    EgressPolicy policyNow() {
        try {
            return source.policy().get();
        } catch (BrigException e) {
            return EgressPolicy.NONE;
        }
    }
}
