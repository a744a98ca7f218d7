package brig.gateway.http;

import brig.gateway.auth.Access;
import brig.gateway.auth.TokenHalves;
import brig.gateway.listener.ListenerServices;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/** The credentials of the page's requests: a token split in two, half in a cookie and half in a header. */
public final class PageSignIn {
    /** The header with the key half. */
    public static final String KEY = "Brig-Key";

    private PageSignIn() {}

    /** The name of the cookie. Ports of a host share cookies, and several gateways may run there. */
    public static String cookieName(HttpServerRequest request) {
        int port = request.authority() == null ? -1 : request.authority().port();
        return port < 0 ? "brig" : "brig-" + port;
    }

    /** The page's token; null if a half is missing or malformed. */
    static @Nullable String token(HttpServerRequest request) {
        var cookie = request.getCookie(cookieName(request));
        return TokenHalves.join(cookie == null ? null : cookie.getValue(), request.getHeader(KEY))
                .orElse(null);
    }

    /** The access of the signed-in page. @throws BrigException if it is not signed in, or no longer */
    public static Access access(HttpServerRequest request, ListenerServices listeners) {
        Access access = listeners.tokens().access(token(request));
        if (access.role() == null) {
            throw new BrigException(ErrorCode.UNAUTHENTICATED, "the page is not signed in: open it with 'brig open'");
        }
        return access;
    }
}
