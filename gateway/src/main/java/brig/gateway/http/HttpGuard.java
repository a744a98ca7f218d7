package brig.gateway.http;

import brig.gateway.auth.Access;
import brig.gateway.config.Config;
import brig.gateway.listener.ListenerServices;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.util.NetUtil;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Decides who an HTTP request comes from. On the Unix socket it is the uid that the kernel names. On TCP it is the
 * bearer of a token, and before that the Host must be one of ours (a page of another site can make a browser connect
 * here under its own name) and an Origin must be our own or allowed. Our own page brings a cookie and a key instead of a
 * bearer, and its browser's word that it is that page.
 *
 * <p>Decision 0114.
 */
public final class HttpGuard {
    private static final String BEARER = "bearer ";

    private final ListenerServices listeners;
    private final List<String> hosts;
    private final List<String> origins;

    public HttpGuard(Config.Http config, ListenerServices listeners) {
        this.listeners = listeners;
        this.hosts = new ArrayList<>(List.of("localhost", "127.0.0.1", "[::1]"));
        config.allowedHosts().forEach(host -> hosts.add(host.toLowerCase(Locale.ROOT)));
        if (config.servesMetricsAlone()) {
            hosts.add(config.metricsHost().toLowerCase(Locale.ROOT));
        }
        this.origins = config.allowedOrigins();
    }

    /** Who asks; nobody where there is no token. @throws BrigException {@code FORBIDDEN}, and for what the token is not */
    public Access identify(HttpServerRequest request, Route route) {
        Channel channel = ListenerServices.channel(request);
        if (channel instanceof EpollDomainSocketChannel) {
            return listeners.unix().accessOf(listeners.unix().requireAllowedPeer(channel));
        }
        requireOurHost(request.authority());
        String origin = request.getHeader("Origin");
        if (origin != null && !origins.contains(origin) && !isOwn(origin, request)) {
            throw new BrigException(ErrorCode.FORBIDDEN, "origin is not in http.allowedOrigins");
        }
        String header = request.getHeader("Authorization");
        if (header == null && request.getHeader(PageSignIn.KEY) != null) {
            requireOwnPage(request, origin);
            return PageSignIn.access(request, listeners);
        }
        String ticket = route.takesTicket() ? request.getParam("ticket") : null;
        if (header == null && ticket != null) {
            return listeners.tickets().redeem(ticket);
        }
        boolean bearer = header != null && header.toLowerCase(Locale.ROOT).startsWith(BEARER);
        return listeners
                .tokens()
                .access(
                        bearer && header != null
                                ? header.substring(BEARER.length()).trim()
                                : null);
    }

    /** Whether that is the origin under which the page is shown; the Host was looked at before. */
    private static boolean isOwn(String origin, HttpServerRequest request) {
        return origin.equalsIgnoreCase("http://" + request.authority())
                || origin.equalsIgnoreCase("https://" + request.authority());
    }

    /**
     * The browser must not say that another page asks (ports of one host are one site to it, and not one origin), and
     * what changes something must have the browser's word for the page, one way or the other.
     */
    private static void requireOwnPage(HttpServerRequest request, @Nullable String origin) {
        String from = request.getHeader("Sec-Fetch-Site");
        boolean vouched =
                from == null ? origin != null || request.method().equals(HttpMethod.GET) : from.equals("same-origin");
        if (!vouched) {
            throw new BrigException(ErrorCode.FORBIDDEN, "a cookie counts only for requests of Brig's own page");
        }
    }

    /**
     * For what is the same for all and needs no token. A health check names an address, or nothing at all (HTTP/1.0): it
     * is answered, because a page that leads a browser here goes by a name, and an address is nobody else's origin.
     *
     * @throws BrigException {@code FORBIDDEN} where a page of another site may have led a browser here
     */
    public void requireOurHost(HttpServerRequest request, Route route) {
        if (ListenerServices.channel(request) instanceof EpollDomainSocketChannel) {
            return;
        }
        String host = request.getHeader("Host");
        HostAndPort authority = request.authority();
        if (!route.isHealthCheck() || (host != null && (authority == null || !isAddress(authority.host())))) {
            requireOurHost(authority);
        }
    }

    private static boolean isAddress(String host) {
        return NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host);
    }

    /** @throws BrigException {@code INVALID_FIELD} where it says more than one name for whom it asks */
    public static void requireOneHost(HttpServerRequest request) {
        if (request.headers().getAll("Host").size() > 1) {
            throw new BrigException(ErrorCode.INVALID_FIELD, "the request has more than one Host header");
        }
    }

    /** @throws BrigException {@code FORBIDDEN} where a page of another site may have led a browser here */
    public void requireOurHost(@Nullable HostAndPort authority) {
        if (authority == null || !hosts.contains(authority.host().toLowerCase(Locale.ROOT))) {
            throw new BrigException(ErrorCode.FORBIDDEN, "the Host header is not in http.allowedHosts");
        }
    }
}
