package brig.gateway.listener;

import brig.gateway.config.Config;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Decides who an HTTP request comes from. On the Unix socket it is the uid that the kernel names. On TCP it is the
 * bearer of a token, and before that the Host must be one of ours (a page of another site can make a browser connect
 * here under its own name) and an Origin must be allowed.
 */
final class HttpGuard {
    private static final String BEARER = "bearer ";

    private final String adminHash;
    private final UnixSockets unix;
    private final List<String> hosts;
    private final List<String> origins;

    /**
     * Who asks.
     *
     * @param captain key of the limits per captain
     * @param admin may do everything
     * @param token the token that came with the request, null for none
     */
    record Caller(String captain, boolean admin, @Nullable String token) {}

    HttpGuard(Config.Http config, String adminToken, UnixSockets unix) {
        this.adminHash = Ids.hashToken(adminToken);
        this.unix = unix;
        this.hosts = new ArrayList<>(List.of("localhost", "127.0.0.1", "[::1]"));
        config.allowedHosts().forEach(host -> hosts.add(host.toLowerCase(Locale.ROOT)));
        this.origins = config.allowedOrigins();
    }

    /** Who asks; a caller without any right yet where there is no token. @throws BrigException {@code FORBIDDEN} */
    Caller identify(HttpServerRequest request) {
        Channel channel = channel(request);
        if (channel instanceof EpollDomainSocketChannel) {
            return new Caller("uid:" + unix.requireAllowedPeer(channel), true, null);
        }
        requireOurHost(request.authority());
        String origin = request.getHeader("Origin");
        if (origin != null && !origins.contains(origin)) {
            throw new BrigException(ErrorCode.FORBIDDEN, "origin is not in http.allowedOrigins");
        }
        String header = request.getHeader("Authorization");
        boolean bearer = header != null && header.toLowerCase(Locale.ROOT).startsWith(BEARER);
        String token = bearer && header != null ? header.substring(BEARER.length()).trim() : null;
        boolean admin = isAdmin(token);
        return new Caller(admin ? "admin" : "token", admin, token);
    }

    boolean isAdmin(@Nullable String token) {
        return token != null && Ids.isToken(token, adminHash);
    }

    private void requireOurHost(@Nullable HostAndPort authority) {
        if (authority == null || !hosts.contains(authority.host().toLowerCase(Locale.ROOT))) {
            throw new BrigException(ErrorCode.FORBIDDEN, "the Host header is not in http.allowedHosts");
        }
    }

    static Channel channel(HttpServerRequest request) {
        return ((ConnectionBase) request.connection()).channel();
    }
}
