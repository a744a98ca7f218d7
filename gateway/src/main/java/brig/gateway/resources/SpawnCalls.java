package brig.gateway.resources;

import brig.gateway.connection.Attachment;
import brig.gateway.http.Call;
import brig.gateway.limits.Admission;
import brig.gateway.listener.ListenerServices;
import brig.gateway.session.Session;
import brig.gateway.session.Sessions;
import brig.gateway.spawn.AcceptedSpawn;
import brig.gateway.spawn.GrantedSpawn;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.Spawner;
import brig.gateway.time.Timers;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.Ids;
import brig.protocol.SpawnState;
import brig.protocol.json.Fields;
import brig.protocol.message.SpawnRequest;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Spawns over HTTP, and the workspaces that they leave.
 *
 * <p>Decision 0036.
 */
public final class SpawnCalls {
    private static final int PAGE = 100;
    private static final int PAGE_MAX = 1_000;
    private static final Pattern SECONDS = Pattern.compile("(\\d{1,3})s?");
    private static final int WAIT_SECONDS_MAX = 300;

    private final ListenerServices listeners;
    private final Sessions sessions;
    private final Spawner spawner;
    private final WorkerAgent workers;

    public SpawnCalls(ListenerServices listeners, Spawner spawner, WorkerAgent workers) {
        this.listeners = listeners;
        this.sessions = listeners.sessions();
        this.spawner = spawner;
        this.workers = workers;
    }

    public void spawn(Call call) {
        Fields body = call.body().only(SpawnRequest.FIELDS);
        SpawnRequest request = claimed(SpawnRequest.read(body), call.request().getHeader("Idempotency-Key"));
        long waitMs = waitMs(call.text("wait"));
        CompletableFuture<Void> late = new CompletableFuture<>();
        Timers.Timer deadline = waitMs == 0 ? () -> {} : listeners.timers().after(waitMs, () -> late.complete(null));
        Admission.Applicant asker = new Admission.Applicant(
                call.access().asker(Attachment.Options.via(body, "http")), waitMs, call::isGone);
        call.answer(spawner.spawn(request, asker)
                .thenCompose(accepted -> {
                    call.response().putHeader("Location", "/api/v1/spawns/" + accepted.spawnId());
                    return waitMs == 0
                            ? CompletableFuture.completedFuture(requested(accepted))
                            : running(accepted, late);
                })
                .whenComplete((answered, failure) -> deadline.cancel()));
    }

    /** The answer of who waits: that it runs, or what kept it from running, or at the deadline that it is asked for. */
    private static CompletionStage<Call.Answer> running(AcceptedSpawn accepted, CompletableFuture<Void> late) {
        return CompletableFuture.anyOf(accepted.running().toCompletableFuture(), late)
                .thenApply(first -> first instanceof GrantedSpawn granted
                        ? new Call.Answer(201, granted(granted))
                        : requested(accepted));
    }

    private static Call.Answer requested(AcceptedSpawn accepted) {
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put("task_id", accepted.taskId());
        answer.put("spawn_id", accepted.spawnId());
        answer.put("auth_token", accepted.captainToken());
        answer.put("watcher_token", accepted.watcherToken());
        answer.put("io_socket", accepted.ioSocket());
        answer.put("status", SpawnState.REQUESTED.wireName());
        return new Call.Answer(202, answer);
    }

    /** The header says the same as the field request_id; its value is a string in quotes, or without them. */
    private static SpawnRequest claimed(SpawnRequest request, @Nullable String header) {
        if (header == null) {
            return request;
        }
        boolean quoted = header.length() > 1 && header.startsWith("\"") && header.endsWith("\"");
        String requestId = Ids.requestId("Idempotency-Key", quoted ? header.substring(1, header.length() - 1) : header);
        String field = request.claim().requestId();
        if (field != null && !field.equals(requestId)) {
            throw Fields.invalid("Idempotency-Key", "is another id than the field request_id");
        }
        return request.claimedAs(requestId);
    }

    /** {@code 30s}: how long a request waits for a place, and over HTTP for the worker. */
    public static long waitMs(@Nullable String text) {
        if (text == null) {
            return 0;
        }
        Matcher seconds = SECONDS.matcher(text);
        if (!seconds.matches() || Integer.parseInt(seconds.group(1)) > WAIT_SECONDS_MAX) {
            throw Fields.invalid("wait", "must be seconds, at most " + WAIT_SECONDS_MAX + "s, such as 30s");
        }
        return Integer.parseInt(seconds.group(1)) * 1000L;
    }

    /** The answer for a spawn that runs, the same on every way in. */
    public static Map<String, ?> granted(GrantedSpawn granted) {
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put("task_id", granted.taskId());
        answer.put("spawn_id", granted.spawnId());
        answer.put("workspace", granted.workspace());
        answer.put("auth_token", granted.captainToken());
        answer.put("watcher_token", granted.watcherToken());
        answer.put("io_socket", granted.ioSocket());
        answer.put("status", "spawned");
        return answer;
    }

    public void list(Call call) {
        String state = call.text("state");
        if (state != null
                && Arrays.stream(SpawnState.values())
                        .noneMatch(known -> known.wireName().equals(state))) {
            throw Fields.invalid("state", "must be a state of a spawn");
        }
        call.answer(
                200,
                page(
                        call,
                        "spawns",
                        spawn -> (state == null || spawn.state().wireName().equals(state))
                                && is(call, "agent", spawn.agent())
                                && is(call, "captain", spawn.captain())
                                && is(call, "task_id", spawn.taskId()),
                        Session::view));
    }

    private static boolean is(Call call, String name, String value) {
        String wanted = call.text(name);
        return wanted == null || wanted.equals(value);
    }

    /** How a session is shown in a list. */
    @FunctionalInterface
    interface Shown {
        Map<String, @Nullable Object> view(Session session);
    }

    /** The page that the call asks for, newest first; {@code next} is the {@code after} of the page behind it. */
    public Map<String, ?> page(Call call, String name, Predicate<Spawn> wanted, Shown shown) {
        int limit = (int) call.number("limit", 1, PAGE_MAX, PAGE);
        String after = call.text("after");
        List<Spawn> found = sessions.all().stream()
                .filter(spawn -> after == null || spawn.spawnId().compareTo(after) < 0)
                .filter(call.access()::sees)
                .filter(wanted)
                .limit(limit + 1L)
                .toList();
        Map<String, @Nullable Object> page = new LinkedHashMap<>();
        page.put(
                name,
                found.stream()
                        .limit(limit)
                        .map(spawn -> shown.view(sessions.of(spawn)))
                        .toList());
        if (found.size() > limit) {
            page.put("next", found.get(limit - 1).spawnId());
        }
        return page;
    }

    public void diff(Call call) {
        call.answerWith(200, workers.diff(call.session().spawn().spawnId()));
    }

    public void apply(Call call) {
        Fields body = call.body().only(Set.of("check", "allow"));
        call.answerWith(200, workers.apply(call.session().spawn().spawnId(), body.flag("check"), body.texts("allow")));
    }

    public void end(Call call) {
        Spawn spawn = call.session().spawn();
        call.answer(
                202,
                spawner.terminate(spawn, "requested", call.access().captain()).thenApply(begun -> spawn.view()));
    }

    public void rebind(Call call) {
        call.answer(200, spawner.rebind(sessions.find(call.id()).spawn()).thenApply(Spawn::view));
    }

    public void workspaces(Call call) {
        call.answerWith(200, workers.workspaces());
    }

    public void discard(Call call) {
        call.answerWith(200, workers.discard(sessions.spawnId(call.id())));
    }
}
