package brig.gateway.app;

import brig.gateway.api.Calls;
import brig.gateway.api.HttpApi;
import brig.gateway.api.SpawnerSocket;
import brig.gateway.config.Config;
import brig.gateway.config.Paths;
import brig.gateway.connection.ConnectionWriter;
import brig.gateway.limits.ConnectionGuard;
import brig.gateway.limits.Deadlines;
import brig.gateway.listener.AccessRegistry;
import brig.gateway.listener.HttpConnections;
import brig.gateway.listener.ListenerServices;
import brig.gateway.listener.SessionSockets;
import brig.gateway.listener.UnixSockets;
import brig.gateway.listener.WebSockets;
import brig.gateway.resources.AskCalls;
import brig.gateway.resources.AuditCalls;
import brig.gateway.resources.ClusterCalls;
import brig.gateway.resources.EgressCalls;
import brig.gateway.resources.EventCalls;
import brig.gateway.resources.FollowCalls;
import brig.gateway.resources.GatewayStatus;
import brig.gateway.resources.HostCalls;
import brig.gateway.resources.LinkCalls;
import brig.gateway.resources.OidcCalls;
import brig.gateway.resources.OperatorCalls;
import brig.gateway.resources.SessionCalls;
import brig.gateway.resources.SignInCalls;
import brig.gateway.resources.SpawnCalls;
import brig.gateway.resources.TokenCalls;
import brig.gateway.spawn.SessionSocketOpener;
import brig.gateway.telemetry.Counters;
import brig.gateway.telemetry.GaugeReadings;
import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All listeners, opened together.
 *
 * <p>Decision 0040.
 */
final class Listeners {
    private static final Logger log = LoggerFactory.getLogger(Listeners.class);

    private static final long LEAVE_MS = 1_000;
    private static final int PORT_MAX = 65_535;

    private final Vertx vertx;
    private final Config config;
    private final Paths paths;
    private final Path settings;
    private final UnixSockets unix;
    private final ListenerServices listeners;
    private final HttpConnections httpConnections;
    private final SessionSockets sessionSockets;
    /** Sockets of this gateway. One that cannot be opened belongs to another process. */
    private final Set<Path> sockets = new HashSet<>();

    private int httpPort;

    /** @param settings the file that a person would change */
    public Listeners(
            Vertx vertx,
            Config config,
            Paths paths,
            Path settings,
            AccessRegistry entrance,
            Timers timers,
            Counters counters) {
        this.vertx = vertx;
        this.config = config;
        this.paths = paths;
        this.settings = settings;
        this.unix = new UnixSockets(new HashSet<>(config.allowedUids()));
        ConnectionGuard connectionGuard = connectionGuard(config, timers);
        this.listeners = new ListenerServices(
                vertx,
                entrance,
                unix,
                connectionGuard,
                timers,
                counters,
                new ConnectionWriter.Bounds(
                        config.limits().writeQueueBytes(), config.limits().slowReaderMs()),
                new HashSet<>());
        this.httpConnections = new HttpConnections(connectionGuard, unix);
        this.sessionSockets = new SessionSockets(listeners, paths);
    }

    private static ConnectionGuard connectionGuard(Config config, Timers timers) {
        Config.Connections own = config.connections();
        return new ConnectionGuard(
                new ConnectionGuard.Bounds(
                        config.limits().connectionsMax(),
                        own.reserved(),
                        own.unauthenticatedMax(),
                        own.unauthenticatedPerPeerMax()),
                new Deadlines(own.requestHeadMs(), own.authMs(), own.requestBodyMs(), own.keepAliveMs()),
                timers);
    }

    /** Opens and closes the session sockets. */
    public SessionSocketOpener sessionSockets() {
        return sessionSockets;
    }

    /** Removes session sockets left by a killed process. */
    public void sweep() {
        sessionSockets.sweep();
    }

    /**
     * Opens HTTP, session sockets and spawner socket, in that order; fails with a {@link BrigException} if one is taken.
     *
     * @param ready the sessions of an earlier process are followed; until then nothing listens
     * @param swept what it left is removed
     */
    public CompletionStage<Void> open(
            HttpApi.Services services, CompletionStage<Void> ready, CompletionStage<Void> swept) {
        GatewayStatus status = new GatewayStatus(
                listeners.sessions(),
                listeners.connectionGuard(),
                services.controls(),
                services.hosts()::list,
                services.clock(),
                System::nanoTime);
        Calls calls = calls(services, status);
        SpawnerSocket spawner = new SpawnerSocket(listeners, services, calls);
        HttpApi api = new HttpApi(listeners, services, calls, spawner, config);
        Router router = api.router(vertx);
        return ready.thenCompose(followed -> openUnix(router))
                .thenCompose(opened -> http().requestHandler(router)
                        .listen(config.http().port(), config.http().host())
                        .recover(failure -> refused(
                                "http.host:http.port",
                                config.http().host(),
                                config.http().port(),
                                failure))
                        .toCompletionStage())
                .thenAccept(server -> httpPort = server.actualPort())
                .thenCompose(opened -> openMetrics(api))
                .thenCompose(opened -> swept)
                .thenCompose(removed -> sessionSockets.serve())
                .thenCompose(opened -> spawner.open(paths.spawner()))
                .thenAccept(opened -> sockets.add(paths.spawner()));
    }

    private Calls calls(HttpApi.Services services, GatewayStatus status) {
        SpawnCalls spawns = new SpawnCalls(listeners, services.spawner(), services.workers());
        TokenCalls tokens = new TokenCalls(listeners);
        SessionCalls sessions = new SessionCalls(listeners, spawns, new WebSockets(listeners));
        return new Calls(
                spawns,
                sessions,
                new EventCalls(listeners, services.spawner(), services.events()),
                tokens,
                new SignInCalls(listeners, tokens, this::url),
                new OidcCalls(listeners, services.signIns()),
                new EgressCalls(listeners, services.workers()),
                new AskCalls(listeners.sessions()),
                new LinkCalls(services.links(), services.workers()),
                new FollowCalls(listeners, sessions),
                new AuditCalls(listeners, services.audit()),
                new OperatorCalls(status, services.workers(), services.controls()),
                new HostCalls(services.hosts()),
                services.sandboxes(),
                new ClusterCalls(services.cluster()));
    }

    private CompletionStage<Void> openMetrics(HttpApi api) {
        Config.Http own = config.http();
        if (!own.servesMetricsAlone()) {
            return CompletableFuture.completedFuture(null);
        }
        return http().requestHandler(api.metricsAlone())
                .listen(own.metricsPort(), own.metricsHost())
                .recover(failure ->
                        refused("http.metricsHost:http.metricsPort", own.metricsHost(), own.metricsPort(), failure))
                .toCompletionStage()
                .thenAccept(
                        server -> log.info("metrics at http://{}:{}/metrics", own.metricsHost(), server.actualPort()));
    }

    private CompletionStage<HttpServer> openUnix(Router router) {
        Path bound = unix.prepare(paths.http());
        return http().requestHandler(router)
                .listen(SocketAddress.domainSocketAddress(bound.toString()))
                .map(server -> {
                    unix.publish(bound, paths.http());
                    sockets.add(paths.http());
                    return server;
                })
                .toCompletionStage();
    }

    private HttpServer http() {
        HttpServer server = vertx.createHttpServer(new HttpServerOptions()
                .setHttp2ClearTextEnabled(false)
                .setPerFrameWebSocketCompressionSupported(false)
                .setPerMessageWebSocketCompressionSupported(false)
                // Above the limit for a line, so that a longer line is refused with its error code, not cut by Vert.x.
                .setMaxWebSocketMessageSize(2 * Limits.MESSAGE_BYTES_MAX)
                .setMaxWebSocketFrameSize(2 * Limits.MESSAGE_BYTES_MAX)
                .addWebSocketSubProtocol(WebSockets.SUBPROTOCOL)
                .setHandle100ContinueAutomatically(true)
                .setTcpNoDelay(true)
                // Lets the kernel detect peers that vanished silently.
                .setTcpKeepAlive(true));
        return server.invalidRequestHandler(HttpApi::refuseUnreadable).connectionHandler(httpConnections::handle);
    }

    private Future<HttpServer> refused(String keys, String host, int port, Throwable failure) {
        return Future.failedFuture(new BrigException(ErrorCode.INTERNAL, refusal(keys, host, port, failure, settings)));
    }

    /** Names what is in the way, and the line that goes around it. */
    static String refusal(String keys, String host, int port, Throwable failure, Path settings) {
        String[] names = keys.split("[:.]", -1);
        String said = String.valueOf(failure.getMessage());
        boolean taken = said.contains("in use");
        return "cannot listen on " + host + ":" + port + ", which is " + keys + ": "
                + (taken ? "another program listens there; end it, or" : said + ";") + " choose another address in "
                + settings + ", such as {\"http\": {\""
                + (taken ? names[3] + "\": " + (port < PORT_MAX ? port + 1 : port - 1) : names[1] + "\": \"127.0.0.1\"")
                + "}}";
    }

    /**
     * The readings of connections, combined with those of sessions and other limits.
     *
     * @param throttling the provider that each throttled session waits for
     */
    GaugeReadings view(
            Map<String, Integer> sessions,
            Map<String, Integer> asks,
            Map<String, Integer> budgets,
            List<String> throttling,
            Map<String, Integer> hosts,
            boolean workerAgentUp,
            GaugeReadings.ClusterUse cluster,
            List<GaugeReadings.LimitUse> others) {
        List<GaugeReadings.LimitUse> limits = new ArrayList<>(others);
        ConnectionGuard connectionGuard = listeners.connectionGuard();
        limits.add(new GaugeReadings.LimitUse(
                "connectionsMax",
                connectionGuard.places(),
                connectionGuard.bounds().placesMax()));
        limits.add(new GaugeReadings.LimitUse(
                "unauthenticatedMax",
                connectionGuard.unauthenticated(),
                connectionGuard.bounds().unauthenticatedMax()));
        long queued = 0;
        int full = 0;
        for (ConnectionWriter writer : listeners.writers()) {
            queued += writer.queuedBytes();
            full += writer.isFull() ? 1 : 0;
        }
        return new GaugeReadings(
                sessions,
                asks,
                budgets,
                throttling.size(),
                (int) throttling.stream().distinct().count(),
                hosts,
                listeners.writers().size(),
                full,
                queued,
                workerAgentUp,
                cluster,
                limits);
    }

    /** The URL of the HTTP interface, with the actual port if the configured one is 0. */
    public String url() {
        return "http://" + config.http().host() + ":" + httpPort;
    }

    /** Tells all subscribers that the gateway stops and where to resume. Completes soon, even if they do not read. */
    public CompletionStage<Void> leave() {
        return listeners.leaveAll(ErrorCode.SHUTTING_DOWN, LEAVE_MS);
    }

    /** Removes its socket files; the connections end with the process. */
    public void removeSockets() {
        sessionSockets.removeAll();
        for (Path socket : sockets) {
            try {
                Files.deleteIfExists(socket);
            } catch (IOException e) {
                log.info("{} stays until the next start: {}", socket, e.toString());
            }
        }
    }
}
