package brig.gateway.e2e.provider;

import brig.gateway.e2e.provider.Call.Answer;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * Sprites, as its client {@code @fly/sprites} 0.1.0 and its public documentation describe it. A sprite is cold until it is
 * first used. What nobody documents is taken to be as unkind as it may be: of a list's entries only the name, unless
 * {@link #listAll} says otherwise.
 */
public final class FakeSprites extends FakeProvider {
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
    private static final int PAGE_MAX = 50;

    /** What the vendor keeps of one sprite besides. */
    private static final class Extras {
        private final Map<String, JsonObject> checkpoints = new LinkedHashMap<>();
        private JsonObject policy = JsonObject.of(Map.of("rules", List.of()));
    }

    private final Map<Rented, Extras> extras = new LinkedHashMap<>();
    private final Path saved;
    private final SpriteSockets sockets;
    private int concurrentMax = Integer.MAX_VALUE;
    private boolean listsAll;

    public FakeSprites(TestCertificate certificate) throws IOException {
        this(certificate, System::currentTimeMillis);
    }

    public FakeSprites(TestCertificate certificate, LongSupplier clockMs) throws IOException {
        super(certificate, clockMs, "sprite");
        saved = Files.createTempDirectory("brig-saved-");
        sockets = new SpriteSockets(this);
    }

    /** So many sprites may live at one time. */
    public synchronized void limit(int sprites) {
        concurrentMax = sprites;
    }

    /** Lists then have all that finding one sprite has. */
    public synchronized void listAll(boolean all) {
        listsAll = all;
    }

    /** The rules that are in force for it. */
    public JsonObject policyOf(String name) {
        return alive(sprite -> sprite.name.equals(name)).map(this::extrasOf).orElseThrow().policy;
    }

    private synchronized Extras extrasOf(Rented sprite) {
        return extras.computeIfAbsent(sprite, key -> new Extras());
    }

    @Override
    Operation operation(Call call) {
        boolean isGet = call.method().equals("GET");
        if (call.part(2).isEmpty()) {
            return isGet ? Operation.LIST : Operation.CREATE;
        }
        return switch (call.part(3)) {
            case "" -> isGet ? Operation.FIND : call.method().equals("DELETE") ? Operation.DESTROY : Operation.OTHER;
            case "exec" -> Operation.EXEC;
            case "proxy" -> Operation.DIAL;
            case "fs" -> Operation.UPLOAD;
            default -> Operation.OTHER;
        };
    }

    @Override
    boolean isAuthorized(Call call) {
        return ("Bearer " + TOKEN).equals(call.request().getHeader("Authorization"));
    }

    @Override
    Answer refusal(int status, String code, String message) {
        return Answer.of(
                status,
                JsonObject.builder().put("error", code).put("message", message).build());
    }

    @Override
    Answer rateLimited() {
        return limited("sprite_creation_rate_limited", "too many sprites were created", 10);
    }

    private Answer limited(String code, String message, int limit) {
        int seconds = faults().retryAfterSeconds();
        JsonObject body = JsonObject.builder()
                .put("error", code)
                .put("message", message)
                .put("limit", (long) limit)
                .put("window_seconds", 60L)
                .put("retry_after_seconds", (long) seconds)
                .build();
        return new Answer(429, body, Map.of("Retry-After", "" + seconds));
    }

    @Override
    String newId() {
        return "sprite-" + UUID.randomUUID();
    }

    @Override
    boolean begins(Call call, Faults.Cut cut) {
        Optional<Rented> sprite = alive(one -> one.name.equals(call.part(2)));
        boolean isUpload = call.part(3).equals("fs") && call.part(4).equals("write");
        if (sprite.isEmpty() || !call.isWebSocket() && !isUpload) {
            return false;
        }
        sprite.get().touch();
        if (isUpload) {
            InputStream content = Pull.bytes(call.request());
            threads.execute(() -> {
                Answer answer = written(call, sprite.get(), content);
                if (cut.equals(Faults.Cut.AT_ONCE)) {
                    cut(call.request().connection());
                } else {
                    send(call.request().response(), answer);
                }
            });
        } else {
            sockets.begin(call, sprite.get(), cut);
        }
        return true;
    }

    private Answer written(Call call, Rented sprite, InputStream content) {
        String path = call.query("path", "");
        String whole = path.startsWith("/") ? path : call.query("workingDir", "/") + "/" + path;
        try {
            if (path.isEmpty() || !sprite.wall().write(whole, call.query("mode", "0644"), content)) {
                return new Answer(403, fsError("EACCES", path), Map.of());
            }
            return Answer.of(200, JsonObject.builder().put("path", whole).build());
        } catch (IOException e) {
            return new Answer(500, fsError("EIO", path), Map.of());
        }
    }

    private static JsonObject fsError(String code, String path) {
        return JsonObject.builder()
                .put("error", "write failed")
                .put("code", code)
                .put("path", path)
                .build();
    }

    @Override
    Answer answer(Call call, JsonObject body) throws IOException {
        if (!call.part(0).equals("v1") || !call.part(1).equals("sprites")) {
            return refusal(404, "not_found", "no such resource");
        }
        if (call.part(2).isEmpty()) {
            return call.method().equals("POST") ? create(body) : list(call);
        }
        boolean isFind = operation(call) == Operation.FIND;
        Optional<Rented> found = isFind
                ? seen().stream()
                        .filter(sprite -> sprite.name.equals(call.part(2)))
                        .findFirst()
                : alive(sprite -> sprite.name.equals(call.part(2)));
        if (found.isEmpty()) {
            return refusal(404, "not_found", "sprite not found");
        }
        if (isFind) {
            return Answer.of(200, shown(found.get()));
        }
        return changed(call, body, found.get());
    }

    private synchronized Answer create(JsonObject body) {
        String name = body.text("name", "");
        if (!NAME.matcher(name).matches()) {
            return refusal(400, "invalid_request", "name is invalid");
        }
        if (alive(sprite -> sprite.name.equals(name)).isPresent()) {
            return refusal(400, "invalid_request", "name already exists");
        }
        if (alive().size() >= concurrentMax) {
            return limited("concurrent_sprite_limit_exceeded", "too many sprites", concurrentMax);
        }
        return Answer.of(201, shown(add(name, body.texts("labels"), false)));
    }

    private Answer list(Call call) {
        int max = call.number("max_results", PAGE_MAX, PAGE_MAX);
        String after =
                new String(Base64.getUrlDecoder().decode(call.query("continuation_token", "")), StandardCharsets.UTF_8);
        List<Rented> rest = seen().stream()
                .filter(sprite -> sprite.name.startsWith(call.query("prefix", "")) && sprite.name.compareTo(after) > 0)
                .sorted(Comparator.comparing(sprite -> sprite.name))
                .toList();
        List<Rented> page = rest.subList(0, Math.min(max, rest.size()));
        boolean hasMore = page.size() < rest.size();
        String token = hasMore
                ? Base64.getUrlEncoder().encodeToString(page.getLast().name.getBytes(StandardCharsets.UTF_8))
                : null;
        return Answer.of(
                200,
                JsonObject.builder()
                        .put("sprites", page.stream().map(this::entry).toList())
                        .put("has_more", hasMore)
                        .put("next_continuation_token", token)
                        .put("name", "test-org")
                        .build());
    }

    private synchronized JsonObject entry(Rented sprite) {
        if (listsAll) {
            return shown(sprite);
        }
        return JsonObject.builder()
                .put("name", sprite.name)
                .put("org_slug", "test-org")
                .put("updated_at", Instant.ofEpochMilli(sprite.createdMs).toString())
                .build();
    }

    private static JsonObject shown(Rented sprite) {
        String created = Instant.ofEpochMilli(sprite.createdMs).toString();
        return JsonObject.builder()
                .put("id", sprite.id)
                .put("name", sprite.name)
                .put("organization", "test-org")
                .put("status", sprite.isUsed() ? "running" : "cold")
                .put("url", "https://" + sprite.name + "-test.sprites.app")
                .put("url_settings", Map.of("auth", "sprite"))
                .put("labels", sprite.tags())
                .put("created_at", created)
                .put("updated_at", created)
                .build();
    }

    private Answer changed(Call call, JsonObject body, Rented sprite) throws IOException {
        String what = call.method() + " " + call.part(3);
        if (!what.startsWith("GET ")) {
            sprite.touch();
        }
        Extras more = extrasOf(sprite);
        return switch (what) {
            case "DELETE " -> {
                destroy(sprite);
                yield Answer.of(204, "");
            }
            case "PUT " -> {
                sprite.setTags(body.texts("labels"));
                yield Answer.of(200, shown(sprite));
            }
            case "GET exec" -> Answer.of(200, JsonObject.of(Map.of("sessions", List.of())));
            case "GET fs" -> read(call, sprite);
            case "POST checkpoint" -> checkpoint(sprite, more, body);
            case "GET checkpoints" -> checkpoints(call, more);
            case "POST checkpoints" -> restore(call, sprite, more);
            case "GET policy" -> Answer.of(200, more.policy);
            case "POST policy" -> {
                more.policy = body;
                yield Answer.of(204, "");
            }
            default -> refusal(404, "not_found", "no such resource");
        };
    }

    private Answer read(Call call, Rented sprite) throws IOException {
        FakeSandbox wall = sprite.wall();
        Process process = wall.exec(
                List.of("cat", "--", call.query("path", "")), wall.environment(), call.query("workingDir", "/"));
        byte[] bytes = process.getInputStream().readAllBytes();
        return FakeSandbox.exitOf(process) == 0
                ? Answer.of(200, bytes)
                : Answer.of(404, fsError("ENOENT", call.query("path", "")));
    }

    // ---- checkpoints

    private Answer checkpoint(Rented sprite, Extras more, JsonObject body) throws IOException {
        String id = "v" + more.checkpoints.size();
        sprite.wall().saveTo(copyOf(sprite, id));
        JsonObject shown = JsonObject.builder()
                .put("id", id)
                .put("create_time", Instant.ofEpochMilli(nowMs()).toString())
                .put("comment", body.text("comment", ""))
                .build();
        more.checkpoints.put(id, shown);
        return progress("Creating checkpoint...", "Checkpoint " + id + " created");
    }

    private Answer checkpoints(Call call, Extras more) {
        if (call.part(4).isEmpty()) {
            List<JsonObject> newestFirst = new ArrayList<>(more.checkpoints.values());
            newestFirst.sort(Comparator.comparing((JsonObject one) ->
                            Integer.parseInt(one.text("id", "").substring(1)))
                    .reversed());
            newestFirst.addFirst(JsonObject.of(Map.of(
                    "id",
                    "Current",
                    "create_time",
                    Instant.ofEpochMilli(nowMs()).toString())));
            return Answer.of(200, newestFirst);
        }
        JsonObject one = more.checkpoints.get(call.part(4));
        return one == null ? refusal(404, "not_found", "checkpoint not found") : Answer.of(200, one);
    }

    private Answer restore(Call call, Rented sprite, Extras more) throws IOException {
        String id = call.part(4);
        if (!more.checkpoints.containsKey(id) || !call.part(5).equals("restore")) {
            return refusal(404, "not_found", "checkpoint not found");
        }
        sprite.restore(copyOf(sprite, id));
        return progress("Restoring checkpoint " + id + "...", "Restored to " + id);
    }

    private Path copyOf(Rented sprite, String checkpoint) {
        return saved.resolve(sprite.id + "-" + checkpoint);
    }

    private Answer progress(String first, String last) {
        String time = Instant.ofEpochMilli(nowMs()).toString();
        List<JsonObject> lines = List.of(
                JsonObject.of(Map.of("type", "info", "data", first, "time", time)),
                JsonObject.of(Map.of("type", "complete", "data", last, "time", time)));
        return new Answer(200, lines(lines, "", "\n", "\n"), Map.of("Content-Type", "application/x-ndjson"));
    }

    @Override
    public void close() throws IOException {
        super.close();
        FakeSandbox.remove(saved);
    }
}
