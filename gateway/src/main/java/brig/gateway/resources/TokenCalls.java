package brig.gateway.resources;

import brig.gateway.auth.Access;
import brig.gateway.auth.Tickets;
import brig.gateway.auth.Token;
import brig.gateway.auth.Tokens;
import brig.gateway.http.Call;
import brig.gateway.listener.ListenerServices;
import brig.gateway.session.Session;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Role;
import brig.protocol.json.Fields;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tokens and tickets, over HTTP and on the spawner socket. An admin makes and revokes all of them; a captain makes
 * watchers' tokens of a session that it drives, and sees and revokes those of that session.
 */
public final class TokenCalls {
    private static final long DAY_SECONDS = 24 * 3_600;
    private static final long EXPIRES_SECONDS_MAX = 366 * DAY_SECONDS;
    /** The fields of a request for a token. */
    public static final Set<String> FIELDS = Set.of("role", "captain", "session", "expires_seconds");
    /** In whose name nobody can be told to act. */
    private static final Set<String> RESERVED = Set.of(Tokens.ADMIN, "token", "nobody");

    private final ListenerServices listeners;

    public TokenCalls(ListenerServices listeners) {
        this.listeners = listeners;
    }

    public void mint(Call call) {
        call.answer(201, mint(call.access(), call.body().only(FIELDS)));
    }

    /** Makes a token. @throws BrigException {@code FORBIDDEN} where it would be good for more than the one who asks */
    public CompletionStage<Map<String, ?>> mint(Access access, Fields options) {
        Role role = role(options);
        Session session = session(options.text("session"));
        if (!access.isAdmin()) {
            if (role != Role.WATCHER || session == null) {
                throw new BrigException(ErrorCode.FORBIDDEN, "a captain makes watchers' tokens of its own session");
            }
            access.in(session.spawn()).requireCaptain();
        }
        if (role == Role.ADMIN && session != null) {
            throw Fields.invalid("session", "does not go with role admin, which reaches all");
        }
        long seconds = options.number("expires_seconds", 1, EXPIRES_SECONDS_MAX, DAY_SECONDS);
        String spawnId = session == null ? null : session.spawn().spawnId();
        return listeners
                .tokens()
                .mint(new Tokens.Request(role, captain(options, role, session), spawnId, seconds * 1000))
                .thenApply(minted -> {
                    Map<String, @Nullable Object> answer = minted.token().view();
                    answer.put("token", minted.secret());
                    if (spawnId != null) {
                        answer.put("stream", "/api/v1/sessions/" + spawnId + "/stream");
                    }
                    return answer;
                });
    }

    /** In whose name it acts: a captain's own name is said; within a session it is its captain's if it is not. */
    private static String captain(Fields options, Role role, @Nullable Session session) {
        String name = options.text("captain");
        if (name != null && (!Ids.isTaskId(name) || RESERVED.contains(name))) {
            throw Fields.invalid("captain", "must match [A-Za-z0-9][A-Za-z0-9._-]{0,127}, and none of " + RESERVED);
        }
        if (name == null && role == Role.CAPTAIN && session == null) {
            throw Fields.invalid("captain", "is missing: the name that its sessions and its limits go by");
        }
        if (name != null) {
            return name;
        }
        return session != null ? session.spawn().captain() : role.wireName();
    }

    private static Role role(Fields fields) {
        return switch (fields.text("role", "watcher")) {
            case "admin" -> Role.ADMIN;
            case "captain" -> Role.CAPTAIN;
            case "watcher" -> Role.WATCHER;
            default -> throw Fields.invalid("role", "must be admin, captain or watcher");
        };
    }

    private @Nullable Session session(@Nullable String id) {
        return id == null ? null : listeners.sessions().find(id);
    }

    public void list(Call call) {
        call.answer(200, list(call.access(), call.text("session")));
    }

    /** {@code {"tokens":[…]}}: those of one session, or all; only an admin sees all. */
    public Map<String, ?> list(Access access, @Nullable String session) {
        return Map.of("tokens", reached(access, session).map(Token::view).toList());
    }

    public void revoke(Call call) {
        call.answer(200, revoke(call.access(), call.id(), call.text("session")));
    }

    /** Takes a token back; its connections are closed. */
    public CompletionStage<Map<String, ?>> revoke(Access access, String id, @Nullable String session) {
        if (id.equals(Tokens.ADMIN)) {
            if (!access.isAdmin()) {
                throw new BrigException(ErrorCode.FORBIDDEN, "an admin replaces the admin token");
            }
            return listeners.tokens().replaceAdmin().thenApply(Token::view);
        }
        Token token = reached(access, session)
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
        // One that was revoked is in both, and the minted ones know that.
        Map<String, Token> byId = new LinkedHashMap<>();
        listeners.tokens().all().forEach(token -> byId.put(token.id(), token));
        listeners.sessions().ownTokens().forEach(token -> byId.putIfAbsent(token.id(), token));
        return byId.values().stream()
                .filter(token -> session == null || session.spawn().spawnId().equals(token.spawnId()));
    }

    /** A one-time way in for who can send no header. */
    public void ticket(Call call) {
        Fields options = call.body().only(Set.of("session", "role"));
        String asked = options.text("role");
        boolean watchOnly = switch (asked == null ? "captain" : asked) {
            case "captain" -> false;
            case "watcher" -> true;
            default -> throw Fields.invalid("role", "must be captain or watcher");
        };
        Session session = session(options.text("session"));
        Access access = session == null ? call.access() : call.access().in(session.spawn());
        if (access.role() == Role.WATCHER && asked != null && !watchOnly) {
            throw new BrigException(
                    ErrorCode.FORBIDDEN, "a watcher's ticket is a watcher's: leave role out, or ask for watcher");
        }
        String spawnId = session == null ? null : session.spawn().spawnId();
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        Tickets.Issued issued = listeners.tickets().issue(access, spawnId, watchOnly);
        answer.put("ticket", issued.secret());
        answer.put("role", issued.role().wireName());
        answer.put("expires_seconds", Tickets.TICKET_MS / 1000);
        if (spawnId != null) {
            answer.put("spawn_id", spawnId);
        }
        call.answer(201, answer);
    }
}
