package brig.gateway.resources;

import brig.gateway.auth.Access;
import brig.gateway.auth.Tickets;
import brig.gateway.auth.TokenHalves;
import brig.gateway.auth.Tokens;
import brig.gateway.http.Call;
import brig.gateway.http.Caller;
import brig.gateway.http.PageSignIn;
import brig.gateway.listener.ListenerServices;
import brig.gateway.oidc.Person;
import brig.gateway.oidc.SignInAudit;
import brig.gateway.session.Session;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Role;
import brig.protocol.api.Answers;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.api.TokenView;
import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Sign-in of browsers. The fragment of a link, which browsers send nowhere, holds a ticket or a token. The page
 * presents it once as a bearer token and gets a cookie and a key for further requests.
 *
 * <p>Decision 0092.
 */
public final class SignInCalls {
    private static final String COOKIE_ATTRIBUTES = "; Path=/; HttpOnly; SameSite=Strict; Max-Age=";

    private final ListenerServices listeners;
    private final TokenCalls tokens;
    private final Supplier<String> url;

    /** @param url of the HTTP interface; known once that listens */
    public SignInCalls(ListenerServices listeners, TokenCalls tokens, Supplier<String> url) {
        this.listeners = listeners;
        this.tokens = tokens;
        this.url = url;
    }

    public void signIn(Call call) {
        Access shown = call.access();
        String secret = shown.secret();
        CompletionStage<Tickets.SignIn> signIn = shown.role() == null && secret != null
                ? listeners.tickets().redeemSignIn(secret)
                : CompletableFuture.completedFuture(new Tickets.SignIn(shown, Tickets.SIGNED_IN_MS));
        call.answer(signIn.thenCompose(this::minted).thenApply(minted -> {
            SignInAudit.signedIn(minted.token());
            TokenHalves halves = TokenHalves.of(minted.secret());
            long seconds = (minted.token().expiresMs() - minted.token().createdMs()) / 1000;
            call.response().putHeader("Set-Cookie", cookie(call.request(), halves.cookie(), seconds));
            return new Call.Answer(201, new TokenView.SignedIn(minted.token().view(), halves.key()));
        }));
    }

    /** The browser's token: the one presented, if it can be revoked, else a new one. */
    private CompletionStage<Tokens.Minted> minted(Tickets.SignIn signIn) {
        Access access = signIn.access();
        String secret = access.secret();
        if (access.tokenId() != null && !listeners.tokens().isAdmins(access.tokenId())) {
            if (secret == null) {
                throw new BrigException(
                        ErrorCode.FORBIDDEN, "whoever has a token signs in with it, not with a ticket of it");
            }
            return CompletableFuture.completedFuture(
                    new Tokens.Minted(listeners.tokens().find(access.tokenId()), secret));
        }
        Role role = access.role() == Role.ADMIN && access.spawnId() != null ? Role.CAPTAIN : access.role();
        if (role == null) {
            throw new BrigException(ErrorCode.UNAUTHENTICATED, "the ticket opens nothing");
        }
        return listeners
                .tokens()
                .mint(new Tokens.Request(role, access.captain(), access.spawnId(), signIn.sessionMs()));
    }

    /** Deletes the cookie. The remaining half of the token is noise, and it expires; that of a person is revoked. */
    public void signOut(Call call) {
        call.response().putHeader("Set-Cookie", cookie(call.request(), "", 0));
        Access access = call.access();
        if (access.tokenId() == null || !Person.isOne(access.captain())) {
            call.answer(200, new Answers.Done());
            return;
        }
        call.answer(
                200,
                listeners
                        .tokens()
                        .revoke(listeners.tokens().find(access.tokenId()))
                        .thenApply(revoked -> {
                            SignInAudit.signedOut(revoked);
                            return new Answers.Done();
                        }));
    }

    /** A TLS proxy is recognized by the page's origin; the cookie is then marked Secure. */
    private static String cookie(HttpServerRequest request, String value, long seconds) {
        String origin = request.getHeader("Origin");
        return PageSignIn.cookieName(request) + "=" + value + COOKIE_ATTRIBUTES + seconds
                + (origin != null && origin.startsWith("https:") ? "; Secure" : "");
    }

    /** A link for a browser: with a ticket for the caller, or with {@code share} a watcher's token of one session. */
    public CompletionStage<TokenView.Opened> open(Caller caller, SpawnerRequest.Open in) {
        String id = in.id();
        Session session = id == null ? null : listeners.sessions().find(id);
        String place = session == null ? "" : "/session/" + session.spawn().spawnId();
        if (in.share()) {
            if (id == null) {
                throw BrigException.invalid("id", "is missing");
            }
            return tokens.mint(
                            caller.access(), new SpawnerRequest.MintToken(Role.WATCHER, null, id, in.expiresSeconds()))
                    .thenApply(minted -> new TokenView.Opened(
                            minted.view(), minted.stream(), base() + "#" + minted.token() + place, 0));
        }
        return listeners
                .tickets()
                .issue(caller.access(), null, false)
                .thenApply(issued -> new TokenView.Opened(
                        null, null, base() + "#" + issued.secret() + place, Tickets.TICKET_MS / 1000));
    }

    /** A gateway that listens on every address also listens on loopback. */
    private String base() {
        return url.get().replace("//0.0.0.0:", "//127.0.0.1:") + "/";
    }
}
