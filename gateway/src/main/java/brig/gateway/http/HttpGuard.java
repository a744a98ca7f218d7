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
 * Authenticates HTTP requests. On the Unix socket the kernel names the uid. On TCP a bearer token is needed; before
 * that, the Host must be one of ours (DNS rebinding can make a browser connect here for another site) and an Origin
 * must be our own or allowed. Our own page sends a cookie and a key instead of a bearer token, and its browser must
 * confirm that the request comes from the page.
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

    /**
     * The ticket by which a request is to be identified; null if it has none, or something that counts more.
     *
     * @throws BrigException {@code FORBIDDEN} if a page of another site may have caused the request
     */
    public @Nullable String ticket(HttpServerRequest request, Route route) {
        boolean counts = route.takesTicket()
                && !(ListenerServices.channel(request) instanceof EpollDomainSocketChannel)
                && request.getHeader("Authorization") == null
                && request.getHeader(PageSignIn.KEY) == null;
        String ticket = counts ? request.getParam("ticket") : null;
        if (ticket != null) {
            requireOurSite(request);
        }
        return ticket;
    }

    /**
     * The client of a request without a ticket; nobody without a token.
     *
     * @throws BrigException {@code FORBIDDEN}, or for an invalid token
     */
    public Access identify(HttpServerRequest request) {
        Channel channel = ListenerServices.channel(request);
        if (channel instanceof EpollDomainSocketChannel) {
            return listeners.unix().accessOf(listeners.unix().requireAllowedPeer(channel));
        }
        String origin = requireOurSite(request);
        String header = request.getHeader("Authorization");
        if (header == null && request.getHeader(PageSignIn.KEY) != null) {
            requireOwnPage(request, origin);
            return PageSignIn.access(request, listeners);
        }
        return listeners.tokens().access(bearer(header));
    }

    private static @Nullable String bearer(@Nullable String header) {
        return header != null && header.toLowerCase(Locale.ROOT).startsWith(BEARER)
                ? header.substring(BEARER.length()).trim()
                : null;
    }

    /** The token by which a request is to be identified; null if it has none. */
    public static @Nullable String token(HttpServerRequest request) {
        if (ListenerServices.channel(request) instanceof EpollDomainSocketChannel) {
            return null;
        }
        String header = request.getHeader("Authorization");
        return header == null && request.getHeader(PageSignIn.KEY) != null ? PageSignIn.token(request) : bearer(header);
    }

    /** @return the origin of the page that caused the request; null for none */
    private @Nullable String requireOurSite(HttpServerRequest request) {
        requireOurHost(request.authority());
        String origin = request.getHeader("Origin");
        if (origin != null && !origins.contains(origin) && !isOwn(origin, request)) {
            throw new BrigException(ErrorCode.FORBIDDEN, "origin is not in http.allowedOrigins");
        }
        return origin;
    }

    /** Whether it is the origin of the page; the Host was checked before. */
    private static boolean isOwn(String origin, HttpServerRequest request) {
        return origin.equalsIgnoreCase("http://" + request.authority())
                || origin.equalsIgnoreCase("https://" + request.authority());
    }

    /**
     * The browser must not report another origin (other ports of a host are the same site, but not the same origin). A
     * request with effects needs positive confirmation by the browser.
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
     * For public routes without a token. A health check names an address, or no host at all (HTTP/1.0). It is answered,
     * since DNS rebinding needs a name and an address is nobody else's origin.
     *
     * @throws BrigException {@code FORBIDDEN} if a page of another site may have caused the request
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

    /** @throws BrigException {@code INVALID_FIELD} for more than one Host header */
    public static void requireOneHost(HttpServerRequest request) {
        if (request.headers().getAll("Host").size() > 1) {
            throw new BrigException(ErrorCode.INVALID_FIELD, "the request has more than one Host header");
        }
    }

    /** @throws BrigException {@code FORBIDDEN} if a page of another site may have caused the request */
    public void requireOurHost(@Nullable HostAndPort authority) {
        if (authority == null || !hosts.contains(authority.host().toLowerCase(Locale.ROOT))) {
            throw new BrigException(ErrorCode.FORBIDDEN, "the Host header is not in http.allowedHosts");
        }
    }
}
