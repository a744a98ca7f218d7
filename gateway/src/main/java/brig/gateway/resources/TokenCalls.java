package brig.gateway.resources;

import brig.gateway.auth.Access;
import brig.gateway.auth.Tickets;
import brig.gateway.auth.Token;
import brig.gateway.auth.Tokens;
import brig.gateway.http.Caller;
import brig.gateway.listener.ListenerServices;
import brig.gateway.session.Session;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Role;
import brig.protocol.api.HttpRequest;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.api.TokenView;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Operations on tokens and tickets, over HTTP and the spawner socket. An admin mints and revokes any token. A captain
 * mints tokens of watchers and approvers for a session that it drives, and sees and revokes the tokens of that session.
 */
public final class TokenCalls {
    private static final long DAY_SECONDS = 24 * 3_600;
    /** Names reserved for Brig itself. */
    private static final Set<String> RESERVED = Set.of(Tokens.ADMIN, "token", "nobody", LinkCalls.NAME);

    private final ListenerServices listeners;

    public TokenCalls(ListenerServices listeners) {
        this.listeners = listeners;
    }

    /** Mints a token. @throws BrigException {@code FORBIDDEN} for rights that exceed the caller's */
    public CompletionStage<TokenView.Minted> mint(Access access, SpawnerRequest.MintToken in) {
        Role role = in.role();
        Session session = session(in.session());
        if (!access.isAdmin()) {
            if (session == null || (role != Role.WATCHER && role != Role.APPROVER)) {
                throw new BrigException(
                        ErrorCode.FORBIDDEN, "a captain makes tokens of watchers and approvers of its own session");
            }
            Access here = access.in(session.spawn());
            here.requireCaptain();
            if (role == Role.APPROVER && in.captain() != null && !in.captain().equals(here.captain())) {
                // Answers are in the stream and the audit by that name.
                throw new BrigException(ErrorCode.FORBIDDEN, "only an admin gives an approver another name");
            }
        }
        if (role == Role.ADMIN && session != null) {
            throw BrigException.invalid("session", "does not go with role admin, which reaches all");
        }
        long seconds = in.expiresSeconds() == 0 ? DAY_SECONDS : in.expiresSeconds();
        String spawnId = session == null ? null : session.spawn().spawnId();
        return listeners
                .tokens()
                .mint(new Tokens.Request(role, captain(in.captain(), role, session), spawnId, seconds * 1000))
                .thenApply(minted -> new TokenView.Minted(
                        minted.token().view(),
                        minted.secret(),
                        spawnId == null ? null : "/api/v1/sessions/" + spawnId + "/stream"));
    }

    /** In whose name it acts: required for a captain, except within a session, where its captain is the default. */
    private static String captain(@Nullable String name, Role role, @Nullable Session session) {
        if (name != null && (!Ids.isTaskId(name) || RESERVED.contains(name))) {
            throw BrigException.invalid(
                    "captain", "must match [A-Za-z0-9][A-Za-z0-9._-]{0,127}, and none of " + RESERVED);
        }
        if (name == null && role == Role.CAPTAIN && session == null) {
            throw BrigException.invalid("captain", "is missing: the name that its sessions and its limits go by");
        }
        if (name != null) {
            return name;
        }
        return session != null ? session.spawn().captain() : role.wireName();
    }

    private @Nullable Session session(@Nullable String id) {
        return id == null ? null : listeners.sessions().find(id);
    }

    /** The tokens of one session, or all; only an admin sees all. */
    public TokenView.TokenList list(Caller caller, SpawnerRequest.Tokens in) {
        return new TokenView.TokenList(
                reached(caller.access(), in.session()).map(Token::view).toList());
    }

    /** Revokes a token and closes its connections. */
    public CompletionStage<TokenView> revoke(Caller caller, SpawnerRequest.RevokeToken in) {
        Access access = caller.access();
        String id = in.id();
        if (id.equals(Tokens.ADMIN)) {
            if (!access.isAdmin()) {
                throw new BrigException(ErrorCode.FORBIDDEN, "an admin replaces the admin token");
            }
            return listeners.tokens().replaceAdmin().thenApply(Token::view);
        }
        Token token = reached(access, in.session())
                .filter(one -> one.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new BrigException(ErrorCode.NOT_FOUND, "there is no token '" + id + "'"));
        return listeners.tokens().revoke(token).thenApply(Token::view);
    }

    private Stream<Token> reached(Access access, @Nullable String id) {
        Session session = session(id);
        if (!access.isAdmin()) {
            if (session == null) {
                throw new BrigException(ErrorCode.FORBIDDEN, "a captain names its session: ?session=…");
            }
            access.in(session.spawn()).requireCaptain();
        }
        // A revoked one is in both lists; the minted entry has the revocation.
        Map<String, Token> byId = new LinkedHashMap<>();
        listeners.tokens().all().forEach(token -> byId.put(token.id(), token));
        listeners.sessions().ownTokens().forEach(token -> byId.putIfAbsent(token.id(), token));
        return byId.values().stream()
                .filter(token -> session == null || session.spawn().spawnId().equals(token.spawnId()));
    }

    /** Issues a ticket for a client that cannot send headers. */
    public CompletionStage<TokenView.Ticket> ticket(Caller caller, HttpRequest.Ticket in) {
        HttpRequest.Part asked = in.role();
        boolean watchOnly = asked == HttpRequest.Part.WATCHER;
        Session session = session(in.session());
        Access access = session == null ? caller.access() : caller.access().in(session.spawn());
        if (asked == HttpRequest.Part.CAPTAIN && (access.role() == Role.WATCHER || access.role() == Role.APPROVER)) {
            throw new BrigException(
                    ErrorCode.FORBIDDEN,
                    "a ticket has no more rights than its token: leave role out, or ask for watcher");
        }
        String spawnId = session == null ? null : session.spawn().spawnId();
        return listeners
                .tickets()
                .issue(access, spawnId, watchOnly)
                .thenApply(issued ->
                        new TokenView.Ticket(issued.secret(), issued.role(), Tickets.TICKET_MS / 1000, spawnId));
    }
}
