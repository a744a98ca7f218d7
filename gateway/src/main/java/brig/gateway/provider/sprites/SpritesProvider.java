package brig.gateway.provider.sprites;

import brig.gateway.deploy.Processes;
import brig.gateway.joint.FarEnd;
import brig.gateway.provider.LabelText;
import brig.gateway.provider.Provider;
import brig.gateway.provider.ProviderFailure;
import brig.gateway.provider.ProviderFailure.Kind;
import brig.gateway.provider.Sandbox;
import brig.gateway.provider.http.ApiCall;
import brig.gateway.provider.http.ApiClient;
import brig.gateway.provider.http.ApiSettings;
import brig.gateway.provider.http.Body;
import brig.gateway.provider.http.Location;
import brig.gateway.provider.sprites.SpriteMessages.Sprite;
import brig.gateway.provider.sprites.SpriteMessages.Sprites;
import brig.gateway.provider.sprites.SpriteMessages.Status;
import brig.gateway.provider.websocket.LinkUpgrade;
import brig.gateway.provider.websocket.WebSocket;
import brig.gateway.provider.websocket.WebSocketEnd;
import brig.protocol.BrigException;
import brig.protocol.VisibleText;
import brig.protocol.json.Json;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sprites. A name belongs to one sprite, so that a create whose answer was lost may be sent again. */
public final class SpritesProvider implements Provider {
    private static final Logger log = LoggerFactory.getLogger(SpritesProvider.class);
    private static final Capabilities CAPABILITIES = new Capabilities(true, 0, false, true, false);
    private static final long CREATE_MS = 120_000;
    private static final long CONNECT_MS = 15_000;
    private static final String SPRITES = "/v1/sprites";
    private static final int PAGE_SIZE = 50;
    private static final int PAGES_MAX = 400;
    private static final String LOCALHOST = "127.0.0.1";
    private static final SpriteMessages.Policy CLOSED =
            new SpriteMessages.Policy(List.of(new SpriteMessages.Rule("*", "deny")));

    private final ApiClient api;
    private final Executor loop;

    /**
     * @param settings {@code https://api.sprites.dev} and its key
     * @param loop the event loop
     * @param blocking runs what may block for a while: names, the key file
     */
    public SpritesProvider(ApiSettings settings, Vertx vertx, Executor loop, Executor blocking) {
        this.loop = loop;
        api = new ApiClient(settings, key -> Map.of("Authorization", "Bearer " + key), vertx, loop, blocking);
    }

    @Override
    public Capabilities capabilities() {
        return CAPABILITIES;
    }

    private ApiCall call(String method, String path) {
        return ApiCall.of(api.server(), method, SPRITES + path);
    }

    private static String pathOf(String name) {
        return "/" + Location.encoded(name);
    }

    // ---- life

    @Override
    public CompletionStage<Sandbox> create(Order order) {
        List<String> labels = labels(order.labels());
        ApiCall create = call("POST", "").body(Body.json(new SpriteMessages.Create(order.name(), labels)));
        return api.send(create.within(CREATE_MS))
                .thenApply(created -> created.read(Sprite.class).toSandbox(order.name()))
                .exceptionallyCompose(failure -> existing(order, labels, ProviderFailure.of(failure)))
                .thenCompose(sandbox -> finish(sandbox, order));
    }

    @Override
    public CompletionStage<Sandbox> finish(Sandbox sandbox, Order order) {
        CompletionStage<Sandbox> closed = order.closed() ? closed(sandbox) : CompletableFuture.completedStage(sandbox);
        return closed.thenApply(ready -> awake(ready, order.lifeMaxMs()));
    }

    private static List<String> labels(Map<String, String> labels) {
        return new TreeMap<>(labels)
                .entrySet().stream()
                        .map(label -> label.getKey() + "=" + LabelText.of(label.getValue()))
                        .toList();
    }

    /** A refusal may mean that the sprite is there, from a create whose answer was lost. */
    private CompletionStage<Sandbox> existing(Order order, List<String> labels, ProviderFailure refusal) {
        if (refusal.kind() != Kind.REFUSED) {
            return CompletableFuture.failedStage(refusal);
        }
        return get(order.name()).thenApply(sprite -> {
            if (sprite == null || !sprite.labels().containsAll(labels)) {
                throw refusal;
            }
            return sprite.toSandbox(order.name());
        });
    }

    /**
     * Lets nothing out. No rules would be no enforcement, so the one rule denies all names; an address is reachable only
     * where an allowed name led to it. A sprite whose network stays open is not what was ordered, so it goes.
     */
    private CompletionStage<Sandbox> closed(Sandbox sandbox) {
        ApiCall post = call("POST", pathOf(sandbox.name()) + "/policy/network").body(Body.json(CLOSED));
        return api.send(post.again())
                .thenApply(set -> sandbox)
                .exceptionallyCompose(failure -> destroy(sandbox).handle((gone, other) -> {
                    throw new ProviderFailure(
                            Kind.LOST,
                            "its network could not be closed: "
                                    + ProviderFailure.of(failure).getMessage());
                }));
    }

    /**
     * A sprite hibernates half a minute after its last activity, and what Brig does there is not taken for any. So a loop
     * inside renews a task that keeps it awake, for as long as it may live.
     */
    private Sandbox awake(Sandbox sandbox, long lifeMaxMs) {
        run(sandbox, KeepAwake.command(lifeMaxMs), null, ended -> {
            if (ended.code() != 0) {
                log.debug("{} may hibernate: {}", sandbox.name(), ended.errors().shown());
            }
        });
        return sandbox;
    }

    @Override
    public CompletionStage<@Nullable Sandbox> find(String name) {
        return get(name).thenApply(sprite -> sprite == null ? null : sprite.toSandbox(name));
    }

    private CompletionStage<@Nullable Sprite> get(String name) {
        return api.send(call("GET", pathOf(name)).again().or(404))
                .thenApply(found -> found.isMissing() ? null : found.read(Sprite.class));
    }

    @Override
    public CompletionStage<List<Sandbox>> list(String prefix) {
        return page(prefix, "", new LinkedHashMap<>(), new HashSet<>());
    }

    private CompletionStage<List<Sandbox>> page(
            String prefix, String token, Map<String, Sandbox> found, Set<String> seen) {
        if (!seen.add(token) || seen.size() > PAGES_MAX) {
            return CompletableFuture.failedStage(
                    new ProviderFailure(Kind.LOST, "its list has no end after " + found.size() + " sprites"));
        }
        String query = "?prefix=" + Location.encoded(prefix) + "&max_results=" + PAGE_SIZE
                + (token.isEmpty() ? "" : "&continuation_token=" + Location.encoded(token));
        return api.send(call("GET", query).again()).thenCompose(answer -> {
            Sprites page = answer.read(Sprites.class);
            for (Sprite sprite : page.sprites()) {
                if (sprite.name() != null && sprite.name().startsWith(prefix)) {
                    found.put(sprite.name(), sprite.toSandbox(sprite.name()));
                }
            }
            return !page.hasMore() || page.next() == null
                    ? CompletableFuture.completedStage(List.copyOf(found.values()))
                    : page(prefix, page.next(), found, seen);
        });
    }

    @Override
    public CompletionStage<Void> destroy(Sandbox sandbox) {
        return api.send(call("DELETE", pathOf(sandbox.name())).again().or(404)).thenAccept(gone -> {});
    }

    // ---- use

    @Override
    public Processes.Running run(
            Sandbox sandbox, List<String> command, Processes.@Nullable Input input, Processes.Listener listener) {
        return new SpriteExec(api, SPRITES + pathOf(sandbox.name()), loop).run(command, input, listener);
    }

    @Override
    public FarEnd.Opener dial(Sandbox sandbox, int port, String path, Map<String, String> headers) {
        return () -> {
            WebSocket socket = api.webSocket(call("GET", pathOf(sandbox.name()) + "/proxy"));
            WebSocketEnd end = new WebSocketEnd(socket);
            try {
                api.within(CONNECT_MS, socket, () -> {
                    connect(socket, port);
                    LinkUpgrade.of(end, LOCALHOST + ":" + port, path, headers);
                });
            } catch (IOException e) {
                end.close();
                throw e;
            }
            return end;
        };
    }

    private static void connect(WebSocket socket, int port) throws IOException {
        socket.text(new String(Json.write(new SpriteMessages.Connect(LOCALHOST, port)), StandardCharsets.UTF_8));
        WebSocket.Message first = socket.read();
        Status status = first == null || !first.text() ? null : status(first.bytes());
        if (status == null || !"connected".equals(status.status())) {
            String why =
                    status == null ? "" : String.valueOf(status.error() == null ? status.status() : status.error());
            throw new IOException(VisibleText.of("port " + port + " of the sandbox is not reached"
                    + (why.isEmpty() ? "" : ": " + why.substring(0, Math.min(why.length(), 100)))));
        }
    }

    private static @Nullable Status status(byte[] json) {
        try {
            return Json.read(json, Status.class);
        } catch (BrigException e) {
            return null;
        }
    }

    // ---- what it has not

    @Override
    public CompletionStage<Void> pause(Sandbox sandbox) {
        return unable("pause");
    }

    @Override
    public CompletionStage<Void> resume(Sandbox sandbox) {
        return unable("resume");
    }

    private static CompletionStage<Void> unable(String what) {
        return CompletableFuture.failedStage(new ProviderFailure(
                Kind.REFUSED, "Sprites cannot " + what + " a sandbox: one hibernates by itself when nothing runs"));
    }

    @Override
    public void close() {
        api.close();
    }
}
