package brig.gateway.provider.opensandbox;

import brig.gateway.deploy.Processes;
import brig.gateway.joint.FarEnd;
import brig.gateway.provider.LabelText;
import brig.gateway.provider.Provider;
import brig.gateway.provider.ProviderFailure;
import brig.gateway.provider.ProviderFailure.Kind;
import brig.gateway.provider.Sandbox;
import brig.gateway.provider.http.ApiCall;
import brig.gateway.provider.http.ApiClient;
import brig.gateway.provider.http.Body;
import brig.gateway.provider.http.Location;
import brig.gateway.provider.opensandbox.OpenSandboxMessages.EndpointAnswer;
import brig.gateway.provider.opensandbox.OpenSandboxMessages.Page;
import brig.gateway.provider.opensandbox.OpenSandboxMessages.Shown;
import brig.gateway.provider.websocket.WebSocketEnd;
import io.vertx.core.Vertx;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * OpenSandbox. The server makes the ids and takes no other name, so Brig's stands in the metadata, by which a sandbox is
 * found whose create was not answered. Two creates make two sandboxes.
 */
public final class OpenSandboxProvider implements Provider {
    private static final long LAG_MS = 30_000;
    private static final Capabilities CAPABILITIES = new Capabilities(false, LAG_MS, true, true, true);
    private static final long CREATE_MS = 120_000;
    private static final long LIFE_SECONDS_MIN = 60;
    private static final int PAGE_SIZE = 200;
    private static final int PAGES_MAX = 100;
    private static final long STATE_EVERY_MS = 500;
    private static final int STATES_MAX = 120;
    private static final List<String> ENTRYPOINT = List.of("tail", "-f", "/dev/null");
    private static final OpenSandboxMessages.NetworkPolicy CLOSED =
            new OpenSandboxMessages.NetworkPolicy("deny", List.of());

    private final OpenSandboxSettings settings;
    private final ApiClient api;
    private final Executor loop;
    /** Sandboxes that have their home, by their ids. */
    private final Set<String> homes = ConcurrentHashMap.newKeySet();

    /**
     * @param loop the event loop
     * @param blocking runs what may block for a while: names, the key file
     */
    public OpenSandboxProvider(OpenSandboxSettings settings, Vertx vertx, Executor loop, Executor blocking) {
        this.settings = settings;
        this.loop = loop;
        api = new ApiClient(settings.api(), key -> Map.of("OPEN-SANDBOX-API-KEY", key), vertx, loop, blocking);
    }

    @Override
    public Capabilities capabilities() {
        return CAPABILITIES;
    }

    private ApiCall call(String method, String path) {
        return ApiCall.of(api.server(), method, "/sandboxes" + path);
    }

    private static String pathOf(Sandbox sandbox) {
        return "/" + Location.encoded(sandbox.id());
    }

    // ---- life

    @Override
    public CompletionStage<Sandbox> create(Order order) {
        Map<String, String> metadata = new TreeMap<>(Map.of(OpenSandboxMessages.NAME, order.name()));
        order.labels().forEach((key, value) -> metadata.put(OpenSandboxMessages.LABEL + key, LabelText.of(value)));
        OpenSandboxMessages.Create create = new OpenSandboxMessages.Create(
                new OpenSandboxMessages.Image(settings.image()),
                ENTRYPOINT,
                Math.max(LIFE_SECONDS_MIN, TimeUnit.MILLISECONDS.toSeconds(order.lifeMaxMs() + 999)),
                Map.of("cpu", settings.cpu(), "memory", settings.memory()),
                metadata,
                order.closed() ? CLOSED : null);
        return api.send(call("POST", "").body(Body.json(create)).within(CREATE_MS))
                .thenApply(answer -> {
                    Sandbox made = answer.read(Shown.class).toSandbox();
                    return new Sandbox(order.name(), made.id(), made.state(), made.createdMs(), order.labels());
                });
    }

    /** A create has all of it. */
    @Override
    public CompletionStage<Sandbox> finish(Sandbox sandbox, Order order) {
        return CompletableFuture.completedStage(sandbox);
    }

    /** Where there are several, the one that lives, and of these the oldest. */
    @Override
    public CompletionStage<@Nullable Sandbox> find(String name) {
        String filter = "metadata=" + Location.encoded(OpenSandboxMessages.NAME + "=" + Location.encoded(name)) + "&";
        return page(filter, 1, new LinkedHashMap<>())
                .thenApply(found -> found.stream()
                        .filter(one -> one.name().equals(name))
                        .min(Comparator.comparing((Sandbox one) -> one.state() == Sandbox.State.GONE)
                                .thenComparing(Sandbox::createdMs))
                        .orElse(null));
    }

    /** The server knows no beginnings of names. */
    @Override
    public CompletionStage<List<Sandbox>> list(String prefix) {
        return page("", 1, new LinkedHashMap<>())
                .thenApply(found -> found.stream()
                        .filter(one -> one.name().startsWith(prefix))
                        .toList());
    }

    /** Pages shift while they are read, so a sandbox may be on two of them. */
    private CompletionStage<List<Sandbox>> page(String filter, int number, Map<String, Sandbox> found) {
        if (number > PAGES_MAX) {
            return CompletableFuture.failedStage(
                    new ProviderFailure(Kind.LOST, "its list has no end after " + found.size() + " sandboxes"));
        }
        String query = "?" + filter + "page=" + number + "&pageSize=" + PAGE_SIZE;
        return api.send(call("GET", query).again()).thenCompose(answer -> {
            Page page = answer.read(Page.class);
            for (Shown shown : page.items()) {
                Sandbox sandbox = shown.toSandbox();
                found.put(sandbox.id(), sandbox);
            }
            return page.pagination().hasNextPage()
                    ? page(filter, number + 1, found)
                    : CompletableFuture.completedStage(List.copyOf(found.values()));
        });
    }

    @Override
    public CompletionStage<Void> destroy(Sandbox sandbox) {
        homes.remove(sandbox.id());
        return api.send(call("DELETE", pathOf(sandbox)).again().or(404, 409)).thenAccept(answer -> {
            if (answer.status() == 409) {
                throw new ProviderFailure(Kind.LOST, "the sandbox is in no state to be ended");
            }
        });
    }

    @Override
    public CompletionStage<Void> pause(Sandbox sandbox) {
        return change(sandbox, "pause", Sandbox.State.PAUSED);
    }

    @Override
    public CompletionStage<Void> resume(Sandbox sandbox) {
        return change(sandbox, "resume", Sandbox.State.RUNNING);
    }

    /** What was lost, or is refused because it is so already, is what its state says. */
    private CompletionStage<Void> change(Sandbox sandbox, String what, Sandbox.State wanted) {
        return api.send(call("POST", pathOf(sandbox) + "/" + what))
                .handle((accepted, failure) -> failure == null ? null : ProviderFailure.of(failure))
                .thenCompose(failure -> failure != null && failure.kind() != Kind.LOST && failure.kind() != Kind.REFUSED
                        ? CompletableFuture.failedStage(failure)
                        : awaitState(sandbox, wanted, failure, failure == null ? STATES_MAX : 1));
    }

    private CompletionStage<Void> awaitState(
            Sandbox sandbox, Sandbox.State wanted, @Nullable ProviderFailure failure, int left) {
        return api.send(call("GET", pathOf(sandbox)).again()).thenCompose(answer -> {
            Shown shown = answer.read(Shown.class);
            if (shown.isSteady() && shown.toSandbox().state() == wanted) {
                return CompletableFuture.completedStage(null);
            }
            if (left <= 1) {
                return CompletableFuture.failedStage(
                        failure == null ? new ProviderFailure(Kind.LOST, "it takes too long") : failure);
            }
            return api.pass(STATE_EVERY_MS).thenCompose(passed -> awaitState(sandbox, wanted, failure, left - 1));
        });
    }

    // ---- use

    private CompletionStage<Endpoint> endpoint(Sandbox sandbox, int port) {
        return api.send(call("GET", pathOf(sandbox) + "/endpoints/" + port + "?use_server_proxy=true")
                        .again())
                .thenApply(answer ->
                        Endpoint.of(answer.read(EndpointAnswer.class), api.server(), settings.endpointHosts()));
    }

    @Override
    public Processes.Running run(
            Sandbox sandbox, List<String> command, Processes.@Nullable Input input, Processes.Listener listener) {
        return new Execd(api, () -> endpoint(sandbox, Execd.PORT), sandbox.id(), homes, loop)
                .run(command, input, listener);
    }

    @Override
    public FarEnd.Opener dial(Sandbox sandbox, int port, String path, Map<String, String> headers) {
        return () -> {
            Endpoint endpoint = ApiClient.await(endpoint(sandbox, port));
            return new WebSocketEnd(api.webSocket(ApiCall.of(endpoint.at(), "GET", path)
                    .withoutKey()
                    .headers(endpoint.headers())
                    .headers(headers)));
        };
    }

    @Override
    public void close() {
        api.close();
    }
}
