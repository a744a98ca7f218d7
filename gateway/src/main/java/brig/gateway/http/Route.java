package brig.gateway.http;

import brig.gateway.auth.Access;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The HTTP route of an operation: method and path, who may call it, and its parameters.
 *
 * <p>Decision 0032.
 *
 * @param path with {@code :id} for a variable part, and {@code *} for all that follows
 * @param query names of the known query parameters; others are refused
 * @param takesBody whether it reads an object from the request's body
 * @param kind the kind of route
 */
public record Route(HttpMethod method, String path, Who who, Set<String> query, boolean takesBody, Kind kind) {
    /** The kind of route. */
    public enum Kind {
        PLAIN,
        /** Called by monitoring, not by people. */
        HEALTH_CHECK,
        /** Public: the answer does not depend on the caller. */
        SAME_FOR_ALL,
        /** The request is forwarded to another server, whatever its parameters. */
        PASSED_ON,
        /** Public: another server sends browsers here, with parameters of its own. */
        SENT_BACK
    }

    private static final String MODELS = "/openai/";

    /** Whether its clients use a model: refusals have OpenAI's form. */
    public boolean isModel() {
        return isOfModels(path);
    }

    /** Whether clients of that path use a model, even if there is no such operation. */
    public static boolean isOfModels(String path) {
        return path.startsWith(MODELS);
    }

    /** Public: whether the answer does not depend on the caller. */
    public boolean isTheSameForAll() {
        return kind == Kind.HEALTH_CHECK || kind == Kind.SAME_FOR_ALL || kind == Kind.SENT_BACK;
    }

    boolean isHealthCheck() {
        return kind == Kind.HEALTH_CHECK;
    }

    /** Whether its parameters are another server's affair. */
    boolean takesAnyParameters() {
        return kind == Kind.PASSED_ON || kind == Kind.SENT_BACK;
    }

    public boolean takesTicket() {
        return query.contains("ticket");
    }

    /** Names of the path variables. */
    public static Set<String> variables(String path) {
        Set<String> names = new TreeSet<>();
        for (String part : path.split("/", -1)) {
            if (part.startsWith(":")) {
                names.add(part.substring(1));
            }
        }
        return names;
    }

    /** Whether that path matches, whatever the method. */
    public boolean matches(String asked) {
        List<String> parts = List.of(asked.split("/", -1));
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

    /** @throws BrigException if it needs a token and there is none, or none that a client of models can use */
    public void requireToken(Access access) {
        if (who == Who.ANYBODY) {
            return;
        }
        if (access.isNobody()) {
            throw new BrigException(
                    path.startsWith("/api/v1/sessions/") ? ErrorCode.ATTACH_AUTH_MISSING : ErrorCode.UNAUTHENTICATED,
                    "this needs a token: Authorization: Bearer …");
        }
        if (isModel() && access.role() == null) {
            // Clients of OpenAI's API ask for another key only at this status.
            throw new BrigException(ErrorCode.UNAUTHENTICATED, "that is no token which may start sessions here");
        }
    }
}
