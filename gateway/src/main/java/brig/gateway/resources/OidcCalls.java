package brig.gateway.resources;

import brig.gateway.http.Call;
import brig.gateway.http.PageSignIn;
import brig.gateway.listener.ListenerServices;
import brig.gateway.oidc.Person;
import brig.gateway.oidc.SignInAudit;
import brig.gateway.oidc.SignInRefusal;
import brig.gateway.oidc.SignIns;
import brig.gateway.webhook.AnswerPage;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.api.SignInWays;
import brig.protocol.control.DoctorAnswer;
import brig.protocol.control.Finding;
import brig.protocol.control.FindingStatus;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Sign-in of people by an issuer: leads a browser there, and takes it back. Whoever is known then gets a link with a ticket,
 * as {@code brig open} makes one.
 *
 * <p>Decision 0216.
 */
public final class OidcCalls {
    private static final long COOKIE_SECONDS = 600;
    /** Tokens of one person, also revoked ones, that have not expired. */
    private static final int SESSIONS_MAX = 100;

    private final ListenerServices listeners;
    private final @Nullable SignIns signIns;

    /** @param signIns null if people do not sign in by an issuer */
    public OidcCalls(ListenerServices listeners, @Nullable SignIns signIns) {
        this.listeners = listeners;
        this.signIns = signIns;
    }

    /** How a browser may sign in, besides by a link. */
    public SignInWays ways() {
        return signIns == null
                ? new SignInWays(null)
                : new SignInWays(new SignInWays.Issuer(signIns.label(), signIns.gateway() + SignIns.PATH));
    }

    /** Leads the browser to the issuer. */
    public void begin(Call call) {
        SignIns own = required();
        own.begin().whenComplete((begun, failure) -> {
            if (failure == null) {
                putCookie(call, own, begun.cookie(), COOKIE_SECONDS);
                redirect(call, begun.location());
            } else {
                refuse(call, failure);
            }
        });
    }

    /** Takes the browser back: the link that it is led to signs it in. */
    public void callback(Call call) {
        SignIns own = required();
        Cookie cookie = call.request().getCookie(cookieName(call.request()));
        putCookie(call, own, "", 0);
        own.finish(parameters(call), cookie == null ? null : cookie.getValue())
                .thenCompose(person -> ticket(person, own.sessionMs()))
                .whenComplete((ticket, failure) -> {
                    if (failure == null) {
                        redirect(call, own.gateway() + "/#" + ticket + "/");
                    } else {
                        refuse(call, failure);
                    }
                });
    }

    private SignIns required() {
        if (signIns == null) {
            throw new BrigException(
                    ErrorCode.NOT_FOUND, "people do not sign in by an issuer here: 'oidc' in brig.json is off");
        }
        return signIns;
    }

    private CompletionStage<String> ticket(Person person, long sessionMs) {
        long sessions = listeners.tokens().all().stream()
                .filter(token -> token.captain().equals(person.captain()))
                .count();
        if (sessions >= SESSIONS_MAX) {
            throw new SignInRefusal(
                    SignInRefusal.Cause.SESSIONS,
                    person.captain() + " has signed in " + SESSIONS_MAX
                            + " times. Wait until some of these have expired.",
                    person.captain());
        }
        return listeners.tickets().issueSignIn(person.captain(), person.role(), sessionMs);
    }

    /** Each parameter once: nobody shall read the first and check the last. */
    private static Map<String, String> parameters(Call call) {
        Map<String, String> all = new HashMap<>();
        call.request().params().forEach((name, value) -> {
            if (all.put(name, value) != null) {
                throw BrigException.invalid(name, "is there twice");
            }
        });
        return all;
    }

    private static String cookieName(HttpServerRequest request) {
        return PageSignIn.cookieName(request) + "-oidc";
    }

    /** Lax, as the browser comes back from another site. */
    private static void putCookie(Call call, SignIns own, String value, long seconds) {
        call.response()
                .putHeader(
                        "Set-Cookie",
                        cookieName(call.request()) + "=" + value + "; Path=" + SignIns.PATH
                                + "; HttpOnly; SameSite=Lax; Max-Age=" + seconds
                                + (own.gateway().startsWith("https:") ? "; Secure" : ""));
    }

    private static void redirect(Call call, String location) {
        if (!call.isGone()) {
            call.response()
                    .setStatusCode(303)
                    .putHeader("Location", location)
                    .putHeader("Cache-Control", "no-store")
                    .putHeader("Referrer-Policy", "no-referrer")
                    .end();
        }
    }

    private static void refuse(Call call, Throwable failure) {
        switch (Reason.cause(failure)) {
            case SignInRefusal refusal -> {
                SignInAudit.refused(refusal);
                LinkCalls.send(
                        call,
                        refusal.httpStatus(),
                        AnswerPage.saying("You are not signed in", String.valueOf(refusal.getMessage()), "/"));
            }
            case BrigException refusal -> call.refuse(refusal);
            case Throwable fault -> call.refuse(new BrigException(ErrorCode.INTERNAL, "the sign-in failed: " + fault));
        }
    }

    /** Adds whether the issuer is reached, if there is one. */
    public CompletionStage<DoctorAnswer> examine(DoctorAnswer others) {
        if (signIns == null) {
            return CompletableFuture.completedFuture(others);
        }
        String issuer = signIns.issuer();
        return signIns.check().handle((known, failure) -> {
            List<Finding> all = new ArrayList<>(others.findings());
            all.add(
                    failure == null
                            ? new Finding("sign-in", FindingStatus.OK, "people sign in by " + issuer, null)
                            : new Finding(
                                    "sign-in",
                                    FindingStatus.WARN,
                                    String.valueOf(Reason.cause(failure).getMessage()),
                                    "check oidc.issuer in brig.json, and the way to it"));
            return new DoctorAnswer(all);
        });
    }
}
