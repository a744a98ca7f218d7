package brig.gateway.e2e.provider;

import brig.gateway.e2e.provider.Call.Answer;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * OpenSandbox: its server, its gateway and the execd of each sandbox, as {@code sandbox-lifecycle.yml} and {@code
 * execd-api.yaml} of June 2026 and the sources of its server describe them. Its images are all the same. A sandbox is
 * pending until it is asked for again, and its entry process starts when something is first done in it.
 */
public final class FakeOpenSandbox extends FakeProvider {
    static final String KEY_HEADER = "OPEN-SANDBOX-API-KEY";
    static final String ACCESS_HEADER = "OpenSandbox-Secure-Access";
    private static final int EXECD_PORT = 44772;
    private static final int PAGE_MAX = 200;
    private static final int TIMEOUT_SECONDS_MIN = 60;
    private static final Pattern KEY =
            Pattern.compile("([a-z0-9.-]{1,253}/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");
    private static final Pattern VALUE = Pattern.compile("([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?");

    /** What was asked for when a sandbox was made. */
    private record Order(
            JsonObject image,
            List<String> entrypoint,
            Map<String, String> environment,
            String accessToken,
            Optional<EgressSidecar> egress) {}

    private final Map<String, Order> orders = new HashMap<>();
    private final PortProxy proxy;
    private final Execd execd;

    public FakeOpenSandbox(TestCertificate certificate) {
        this(certificate, System::currentTimeMillis);
    }

    public FakeOpenSandbox(TestCertificate certificate, LongSupplier clockMs) {
        super(certificate, clockMs, "sandbox");
        proxy = new PortProxy(this);
        execd = new Execd(this);
    }

    /** Where the requests of its own clients go. */
    @Override
    public String url() {
        return super.url() + "/v1";
    }

    /** The id of a living sandbox with that name or metadata ({@code key=value}). */
    public Optional<String> idOf(String nameOrTag) {
        return alive(sandbox -> sandbox.keys().contains(nameOrTag)).map(sandbox -> sandbox.id);
    }

    /** The rules for the network of one that was made with some. */
    public JsonObject policyOf(String nameOrTag) {
        return order(idOf(nameOrTag).orElseThrow()).egress.orElseThrow().policy();
    }

    /** Without the version in front, which may be left out. */
    private static Call plain(Call call) {
        return call.part(0).equals("v1")
                ? new Call(call.request(), call.path().subList(1, call.path().size()))
                : call;
    }

    /** A request to a port: by the server, {@code /sandboxes/ID/proxy/PORT}, or by the gateway, {@code /ID/PORT}. */
    private record ToPort(String id, int port, String rest) {
        static Optional<ToPort> of(Call call) {
            boolean byServer = call.part(0).equals("sandboxes") && call.part(2).equals("proxy");
            int at = byServer ? 1 : 0;
            String port = call.part(byServer ? 3 : 1);
            if (!port.matches("[1-9]\\d{0,4}") || !byServer && call.part(0).equals("sandboxes")) {
                return Optional.empty();
            }
            String path = call.request().path();
            int end = path.indexOf("/" + port, path.indexOf(call.part(at))) + 1 + port.length();
            String rest = path.substring(end);
            return Optional.of(new ToPort(call.part(at), Integer.parseInt(port), rest.isEmpty() ? "/" : rest));
        }
    }

    @Override
    Operation operation(Call whole) {
        Call call = plain(whole);
        Optional<ToPort> toPort = ToPort.of(call);
        if (toPort.isPresent()) {
            return toPort.get().port == EgressSidecar.PORT
                    ? Operation.OTHER
                    : toPort.get().port != EXECD_PORT
                            ? Operation.DIAL
                            : toPort.get().rest.startsWith("/files") ? Operation.UPLOAD : Operation.EXEC;
        }
        if (call.part(1).isEmpty()) {
            return call.method().equals("GET") ? Operation.LIST : Operation.CREATE;
        }
        if (!call.part(2).isEmpty()) {
            return Operation.OTHER;
        }
        return call.method().equals("DELETE") ? Operation.DESTROY : Operation.FIND;
    }

    /** Requests to ports need no key: whoever knows the sandbox gets there. */
    @Override
    boolean isAuthorized(Call call) {
        return ToPort.of(plain(call)).isPresent() || TOKEN.equals(call.request().getHeader(KEY_HEADER));
    }

    @Override
    Answer refusal(int status, String code, String message) {
        return Answer.of(
                status,
                JsonObject.builder().put("code", code).put("message", message).build());
    }

    @Override
    Answer rateLimited() {
        return new Answer(
                429,
                JsonObject.of(Map.of("code", "TOO_MANY_REQUESTS", "message", "slow down")),
                Map.of("Retry-After", "" + faults().retryAfterSeconds()));
    }

    @Override
    String newId() {
        return UUID.randomUUID().toString();
    }

    // ---- ports

    @Override
    boolean begins(Call call, Faults.Cut cut) {
        Optional<ToPort> wanted = ToPort.of(plain(call));
        if (wanted.isEmpty()) {
            return false;
        }
        ToPort to = wanted.get();
        Optional<Rented> sandbox = alive(one -> one.id.equals(to.id));
        if (sandbox.isEmpty() || !isLetIn(call, to.id)) {
            send(call.request().response(), refusal(404, "DOCKER::SANDBOX_NOT_FOUND", "there is no such sandbox"));
        } else if (sandbox.get().isPaused()) {
            send(call.request().response(), refusal(502, "PROXY", "the sandbox is paused"));
        } else {
            sandbox.get().touch();
            Optional<EgressSidecar> egress = order(to.id).egress;
            if (to.port == EXECD_PORT) {
                execd.begin(call, sandbox.get(), to.rest, cut);
            } else if (to.port == EgressSidecar.PORT && egress.isPresent() && to.rest.equals("/policy")) {
                InputStream body = Pull.bytes(call.request());
                threads.execute(
                        () -> send(call.request().response(), egress.get().answer(call, body)));
            } else {
                proxy.pass(call, sandbox.get(), to.port, to.rest, cut);
            }
        }
        return true;
    }

    private boolean isLetIn(Call call, String id) {
        String token = order(id).accessToken;
        return token.isEmpty() || token.equals(call.request().getHeader(ACCESS_HEADER));
    }

    private synchronized Order order(String id) {
        return orders.getOrDefault(id, new Order(JsonObject.EMPTY, List.of("true"), Map.of(), "", Optional.empty()));
    }

    /** What every process of the sandbox has. */
    Map<String, String> environmentOf(Rented sandbox, FakeSandbox wall) {
        Map<String, String> all = new HashMap<>(wall.environment());
        all.putAll(order(sandbox.id).environment);
        return all;
    }

    private Answer endpoint(Call call, Rented sandbox) {
        int port = Integer.parseInt(call.part(3));
        if (port < 1 || port > 65535) {
            return refusal(400, "DOCKER::INVALID_PORT", "Port must be between 1 and 65535.");
        }
        boolean byServer = call.query("use_server_proxy", "false").equals("true");
        String path = byServer ? "/sandboxes/" + sandbox.id + "/proxy/" + port : "/" + sandbox.id + "/" + port;
        JsonObject.Builder answer = JsonObject.builder().put("endpoint", "127.0.0.1:" + port() + path);
        Order order = order(sandbox.id);
        Map<String, String> headers = new HashMap<>();
        if (!order.accessToken.isEmpty()) {
            headers.put(ACCESS_HEADER, order.accessToken);
        }
        if (port == EgressSidecar.PORT) {
            order.egress.ifPresent(egress -> headers.put(EgressSidecar.HEADER, egress.token()));
        }
        if (!headers.isEmpty()) {
            answer.put("headers", headers);
        }
        return Answer.of(200, answer.build());
    }

    // ---- the life of sandboxes

    @Override
    Answer answer(Call whole, JsonObject body) throws IOException {
        Call call = plain(whole);
        if (!call.part(0).equals("sandboxes")) {
            return refusal(404, "NOT_FOUND", "no such resource");
        }
        if (call.part(1).isEmpty()) {
            return call.method().equals("POST") ? create(body) : list(call);
        }
        boolean isFind = operation(whole) == Operation.FIND;
        Optional<Rented> found = isFind
                ? seen().stream().filter(one -> one.id.equals(call.part(1))).findFirst()
                : alive(one -> one.id.equals(call.part(1)));
        if (found.isEmpty()) {
            return refusal(404, "DOCKER::SANDBOX_NOT_FOUND", "there is no such sandbox");
        }
        Rented sandbox = found.get();
        if (isFind) {
            return Answer.of(200, shown(sandbox, stateOf(sandbox), true));
        }
        if (call.part(2).equals("endpoints")) {
            return endpoint(call, sandbox);
        }
        sandbox.touch();
        return switch (call.part(2)) {
            case "" -> {
                destroy(sandbox);
                yield Answer.of(204, "");
            }
            case "pause" -> paused(sandbox, true, "DOCKER::SANDBOX_NOT_RUNNING");
            case "resume" -> paused(sandbox, false, "DOCKER::SANDBOX_NOT_PAUSED");
            case "renew-expiration" -> renewed(sandbox, body);
            default -> refusal(404, "NOT_FOUND", "no such resource");
        };
    }

    private Answer create(JsonObject body) throws IOException {
        Map<String, String> metadata = texts(body.object("metadata"));
        List<String> tags = metadata.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .toList();
        long seconds = body.number("timeout", 0);
        if (body.object("image").text("uri", "").isEmpty()
                || body.texts("entrypoint").isEmpty()
                || !body.has("resourceLimits")
                || body.has("timeout") && seconds < TIMEOUT_SECONDS_MIN) {
            return refusal(400, "INVALID_REQUEST", "image, entrypoint, resourceLimits and a timeout of 60 s or more");
        }
        for (Map.Entry<String, String> entry : metadata.entrySet()) {
            if (entry.getKey().startsWith("opensandbox.io/")
                    || !KEY.matcher(entry.getKey()).matches()
                    || !VALUE.matcher(entry.getValue()).matches()) {
                return refusal(400, "SANDBOX::INVALID_METADATA_LABEL", entry + " is no label");
            }
        }
        Rented sandbox = add(metadata.getOrDefault("brig.name", metadata.getOrDefault("name", "")), tags, false);
        if (seconds > 0) {
            sandbox.setEnd(sandbox.createdMs + TimeUnit.SECONDS.toMillis(seconds));
        }
        synchronized (this) {
            orders.put(
                    sandbox.id,
                    new Order(
                            body.object("image"),
                            body.texts("entrypoint"),
                            texts(body.object("env")),
                            body.flag("secureAccess") ? newId() : "",
                            body.object("networkPolicy").isEmpty()
                                    ? Optional.empty()
                                    : Optional.of(new EgressSidecar(this, newId(), body.object("networkPolicy")))));
        }
        sandbox.setEntry(body.texts("entrypoint"), texts(body.object("env")));
        return new Answer(202, shown(sandbox, "Pending", false), Map.of("Location", "/v1/sandboxes/" + sandbox.id));
    }

    private static Map<String, String> texts(JsonObject object) {
        Map<String, String> texts = new HashMap<>();
        object.names().forEach(name -> texts.put(name, object.text(name, "")));
        return texts;
    }

    private static String stateOf(Rented sandbox) {
        return sandbox.hasEnded() ? "Terminated" : sandbox.isPaused() ? "Paused" : "Running";
    }

    private JsonObject shown(Rented sandbox, String state, boolean isWhole) {
        Order order = order(sandbox.id);
        JsonObject.Builder shown = JsonObject.builder().put("id", sandbox.id);
        if (isWhole) {
            shown.put("image", order.image.isEmpty() ? JsonObject.of(Map.of("uri", "debian:12")) : order.image);
        }
        if (sandbox.endsMs() != Long.MAX_VALUE) {
            shown.put("expiresAt", Instant.ofEpochMilli(sandbox.endsMs()).toString());
        }
        Map<String, Object> metadata = new HashMap<>();
        sandbox.tags()
                .forEach(tag -> metadata.put(tag.substring(0, tag.indexOf('=')), tag.substring(tag.indexOf('=') + 1)));
        return shown.put("status", Map.of("state", state))
                .put("metadata", metadata)
                .put("entrypoint", order.entrypoint)
                .put("createdAt", Instant.ofEpochMilli(sandbox.createdMs).toString())
                .build();
    }

    private Answer list(Call call) {
        int page = call.number("page", 1, Integer.MAX_VALUE);
        int size = call.number("pageSize", 20, PAGE_MAX);
        List<String> states = call.request().params().getAll("state");
        List<String> wanted = new ArrayList<>();
        for (String pair : call.query("metadata", "").split("&")) {
            if (!pair.isEmpty()) {
                wanted.add(URLDecoder.decode(pair, StandardCharsets.UTF_8));
            }
        }
        List<Rented> found = new ArrayList<>(seen());
        found.removeIf(one -> !one.tags().containsAll(wanted) || !states.isEmpty() && !states.contains(stateOf(one)));
        found.sort((a, b) -> Long.compare(b.createdMs, a.createdMs));
        int pages = (found.size() + size - 1) / size;
        List<JsonObject> items = found.stream()
                .skip((long) (page - 1) * size)
                .limit(size)
                .map(one -> shown(one, stateOf(one), true))
                .toList();
        JsonObject pagination = JsonObject.builder()
                .put("page", (long) page)
                .put("pageSize", (long) size)
                .put("totalItems", (long) found.size())
                .put("totalPages", (long) pages)
                .put("hasNextPage", page < pages)
                .build();
        return Answer.of(
                200,
                JsonObject.builder()
                        .put("items", items)
                        .put("pagination", pagination)
                        .build());
    }

    private Answer paused(Rented sandbox, boolean paused, String conflict) throws IOException {
        return sandbox.pause(paused) ? Answer.of(202, "") : refusal(409, conflict, "the sandbox is in another state");
    }

    private Answer renewed(Rented sandbox, JsonObject body) {
        try {
            long ends =
                    OffsetDateTime.parse(body.text("expiresAt", "")).toInstant().toEpochMilli();
            if (ends > nowMs()) {
                sandbox.setEnd(ends);
                return Answer.of(
                        200,
                        JsonObject.of(
                                Map.of("expiresAt", Instant.ofEpochMilli(ends).toString())));
            }
        } catch (DateTimeParseException e) {
            // Refused as any other that is not in the future.
        }
        return refusal(400, "DOCKER::INVALID_EXPIRATION", "New expiration time must be in the future.");
    }

    @Override
    public void close() throws IOException {
        proxy.close();
        super.close();
    }
}
