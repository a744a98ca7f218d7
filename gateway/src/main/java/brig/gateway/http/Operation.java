package brig.gateway.http;

import brig.gateway.auth.Access;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Role;
import io.vertx.core.http.HttpMethod;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The table of the HTTP interface: every method and path, who may use it, and what it takes. The router is made of it,
 * and a test compares it with {@code openapi.json}, whose {@code operationId} is {@link #id}.
 *
 * <p>Decision 0032.
 */
public enum Operation {
    PAGE(Method.GET, "/", Who.ANYBODY),
    PAGE_FILE(Method.GET, PageFiles.ASSETS + "*", Who.ANYBODY),
    LIVE(Method.GET, "/livez", Who.ANYBODY),
    READY(Method.GET, "/readyz", Who.ANYBODY),
    METRICS(Method.GET, "/metrics", Who.ADMIN),
    OPENAPI(Method.GET, "/api/v1/openapi.json", Who.ANYBODY),
    ASYNCAPI(Method.GET, "/api/v1/asyncapi.json", Who.ANYBODY),

    SPAWN(Method.POST, "/api/v1/spawns", Who.STARTER, "wait"),
    LIST_SPAWNS(Method.GET, "/api/v1/spawns", Who.KNOWN, "state", "agent", "captain", "task_id", "limit", "after"),
    SHOW_SPAWN(Method.GET, "/api/v1/spawns/:id", Who.READER),
    SHOW_POSTURE(Method.GET, "/api/v1/spawns/:id/posture", Who.READER),
    SHOW_DIFF(Method.GET, "/api/v1/spawns/:id/diff", Who.READER),
    APPLY(Method.POST, "/api/v1/spawns/:id/apply", Who.DRIVER),
    SHOW_EGRESS(Method.GET, "/api/v1/spawns/:id/egress", Who.SOMEBODY),
    DECIDE_EGRESS(Method.POST, "/api/v1/spawns/:id/egress", Who.SOMEBODY),
    REBIND(Method.POST, "/api/v1/spawns/:id/rebind", Who.ADMIN),
    END_SPAWN(Method.DELETE, "/api/v1/spawns/:id", Who.DRIVER),

    LIST_SESSIONS(Method.GET, "/api/v1/sessions", Who.KNOWN, "status", "limit", "after"),
    STREAM(Method.GET, "/api/v1/sessions/:id/stream", Who.READER, "last_event_id", "presence", "agent", "ticket"),
    ATTACH(
            Method.GET,
            "/api/v1/sessions/:id/attach",
            Who.ANYBODY,
            "from",
            "role",
            "presence",
            "agent",
            "client",
            "ticket"),
    SHOW_TREE(Method.GET, "/api/v1/sessions/:id/tree", Who.READER),
    INPUT(Method.POST, "/api/v1/sessions/:id/input", Who.DRIVER),
    CANCEL(Method.POST, "/api/v1/sessions/:id/cancel", Who.DRIVER),
    GET_PORT(Method.GET, Operation.PORTS, Who.DRIVER),
    HEAD_PORT(Method.HEAD, Operation.PORTS, Who.DRIVER),
    POST_PORT(Method.POST, Operation.PORTS, Who.DRIVER),
    PUT_PORT(Method.PUT, Operation.PORTS, Who.DRIVER),
    PATCH_PORT(Method.PATCH, Operation.PORTS, Who.DRIVER),
    DELETE_PORT(Method.DELETE, Operation.PORTS, Who.DRIVER),
    OPTIONS_PORT(Method.OPTIONS, Operation.PORTS, Who.DRIVER),
    MULTIPLEX(Method.GET, "/api/v1/ws", Who.ANYBODY, "ticket"),
    SPAWNER(Method.GET, "/api/v1/spawner", Who.STARTER),

    POST_EVENT(Method.POST, "/api/v1/events", Who.SOMEBODY),
    LIST_EVENTS(Method.GET, "/api/v1/events", Who.KNOWN, "session_id", "after", "limit", "last_event_id", "ticket"),

    LIST_AUDIT(
            Method.GET,
            "/api/v1/audit",
            Who.SOMEBODY,
            "spawn_id",
            "host",
            "decision",
            "since",
            "until",
            "limit",
            "cursor",
            "after"),

    MINT_TOKEN(Method.POST, "/api/v1/tokens", Who.SOMEBODY),
    LIST_TOKENS(Method.GET, "/api/v1/tokens", Who.SOMEBODY, "session"),
    REVOKE_TOKEN(Method.DELETE, "/api/v1/tokens/:id", Who.SOMEBODY, "session"),
    ISSUE_TICKET(Method.POST, "/api/v1/tickets", Who.SOMEBODY),
    SIGN_IN(Method.POST, "/api/v1/sign-in", Who.SOMEBODY),
    SIGN_OUT(Method.DELETE, "/api/v1/sign-in", Who.ANYBODY),

    LIST_MODELS(Method.GET, "/openai/v1/models", Who.STARTER),
    SHOW_MODEL(Method.GET, "/openai/v1/models/:id", Who.STARTER),
    MODEL_CHAT(Method.POST, "/openai/v1/chat/completions", Who.STARTER),
    MODEL_RESPOND(Method.POST, "/openai/v1/responses", Who.STARTER),

    STATUS(Method.GET, "/api/v1/status", Who.ADMIN),
    AGENT_STATUS(Method.GET, "/api/v1/status/agents/:id", Who.ADMIN),
    PAUSE(Method.POST, "/api/v1/pool/pause", Who.ADMIN),
    DRAIN(Method.POST, "/api/v1/pool/drain", Who.ADMIN),
    RESUME(Method.POST, "/api/v1/pool/resume", Who.ADMIN),
    PRUNE(Method.POST, "/api/v1/prune", Who.ADMIN),
    SHUTDOWN(Method.POST, "/api/v1/shutdown", Who.ADMIN),
    AGENTS(Method.GET, "/api/v1/agents", Who.KNOWN),
    DOCTOR(Method.GET, "/api/v1/doctor", Who.ADMIN),
    LIST_WORKSPACES(Method.GET, "/api/v1/workspaces", Who.ADMIN),
    DISCARD_WORKSPACE(Method.DELETE, "/api/v1/workspaces/:id", Who.ADMIN);

    private enum Method {
        GET,
        HEAD,
        POST,
        PUT,
        PATCH,
        DELETE,
        OPTIONS
    }

    /** Who may use an operation, and with it whether {@code :id} names a session that has to be there. */
    public enum Who {
        /** Without a token, or with one that is looked at later. */
        ANYBODY,
        /** With any token; the operation looks at the session that it names. */
        SOMEBODY,
        /** With a token that counts beyond one session's own two. */
        KNOWN,
        /** Who may start sessions: an admin, or a captain whose token is not bound to a session. */
        STARTER,
        /** Whoever may listen to the session {@code :id}. */
        READER,
        /** A captain of the session {@code :id}. */
        DRIVER,
        ADMIN;

        public boolean isOfSession() {
            return this == READER || this == DRIVER;
        }
    }

    /** All that a server of an agent serves. */
    private static final String PORTS = "/api/v1/sessions/:id/ports/:port/*";

    private static final Set<Operation> BODIES = Set.of(
            SPAWN,
            APPLY,
            DECIDE_EGRESS,
            INPUT,
            POST_EVENT,
            MINT_TOKEN,
            ISSUE_TICKET,
            PRUNE,
            SHUTDOWN,
            MODEL_CHAT,
            MODEL_RESPOND);

    private final Method method;
    private final String path;
    private final Who who;
    /** Names with a space between them. */
    private final String query;

    Operation(Method method, String path, Who who, String... query) {
        this.method = method;
        this.path = path;
        this.who = who;
        this.query = String.join(" ", query);
    }

    public HttpMethod method() {
        return HttpMethod.valueOf(method.name());
    }

    /** With {@code :id} for the variable part. */
    public String path() {
        return path;
    }

    public Who who() {
        return who;
    }

    /** Names of the parameters behind {@code ?} that it knows; others are refused. */
    Set<String> query() {
        return query.isEmpty() ? Set.of() : Set.of(query.split(" ", -1));
    }

    /** Whether the request is somebody else's, whatever its parameters. */
    boolean passesOn() {
        return path.equals(PORTS);
    }

    /** Whether it reads an object from the request's body. */
    public boolean takesBody() {
        return BODIES.contains(this);
    }

    /** Whether its clients speak to a model: what it refuses it refuses in OpenAI's form. */
    public boolean isModel() {
        return isOfModels(path);
    }

    /** Whether what asks for that path speaks to a model, be there an operation or not. */
    public static boolean isOfModels(String path) {
        return path.startsWith("/openai/");
    }

    /** Whether it tells everybody the same, who asks being of no matter. */
    public boolean isTheSameForAll() {
        return isHealthCheck() || this == PAGE || this == PAGE_FILE;
    }

    /** Whether what watches over the gateway asks for it, and not a person. */
    boolean isHealthCheck() {
        return this == LIVE || this == READY;
    }

    boolean takesTicket() {
        return query().contains("ticket");
    }

    /** {@code listSpawns} for {@code LIST_SPAWNS}. */
    String id() {
        String words = Arrays.stream(name().split("_", -1))
                .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
                .collect(Collectors.joining());
        return words.substring(0, 1).toLowerCase(Locale.ROOT) + words.substring(1);
    }

    /** The methods that there are at a path of the table, for {@code Allow}. */
    public static String allowed(String path) {
        List<String> parts = List.of(path.split("/", -1));
        return Arrays.stream(values())
                .filter(operation -> operation.matches(parts))
                .map(operation -> operation.method.name())
                .collect(Collectors.toCollection(TreeSet::new))
                .stream()
                .collect(Collectors.joining(", "));
    }

    private boolean matches(List<String> parts) {
        List<String> own = List.of(path.split("/", -1));
        boolean open = own.getLast().equals("*");
        int length = open ? own.size() - 1 : own.size();
        if (open ? parts.size() < length : parts.size() != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (!own.get(i).startsWith(":") && !own.get(i).equals(parts.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** @throws BrigException where that access does not reach; for a session's operation it is looked at there */
    public void require(Access access) {
        if (who == Who.ANYBODY) {
            return;
        }
        if (access.isNobody()) {
            throw new BrigException(
                    path.startsWith("/api/v1/sessions/") ? ErrorCode.ATTACH_AUTH_MISSING : ErrorCode.UNAUTHENTICATED,
                    "this needs a token: Authorization: Bearer …");
        }
        if (isModel() && access.role() == null) {
            // Clients of OpenAI's API ask for another key at this status, and at no other.
            throw new BrigException(ErrorCode.UNAUTHENTICATED, "that is no token which may start sessions here");
        }
        boolean reaches = switch (who) {
            case ANYBODY, SOMEBODY, READER, DRIVER -> true;
            case KNOWN -> access.role() != null;
            case STARTER -> access.isAdmin() || (access.role() == Role.CAPTAIN && access.spawnId() == null);
            case ADMIN -> access.isAdmin();
        };
        if (!reaches) {
            throw new BrigException(
                    ErrorCode.FORBIDDEN,
                    who == Who.ADMIN
                            ? "this needs an admin token: Authorization: Bearer $(brig token)"
                            : "the token does not reach that far");
        }
    }
}
