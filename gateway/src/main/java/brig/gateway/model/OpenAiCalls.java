package brig.gateway.model;

import brig.gateway.auth.Access;
import brig.gateway.connection.Problem;
import brig.gateway.http.Call;
import brig.gateway.limits.Admission;
import brig.gateway.listener.ListenerServices;
import brig.gateway.openai.Answer;
import brig.gateway.openai.AnswerHeader;
import brig.gateway.openai.AnswerSink;
import brig.gateway.openai.ChatCompletion;
import brig.gateway.openai.ChatEvents;
import brig.gateway.openai.ModelRequest;
import brig.gateway.openai.ResponseEvents;
import brig.gateway.openai.ResponseObject;
import brig.gateway.session.Session;
import brig.gateway.spawn.AcceptedSpawn;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.Spawner;
import brig.gateway.stream.Subscription;
import brig.gateway.time.Clock;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.SpawnState;
import brig.protocol.json.Fields;
import brig.protocol.message.SpawnRequest;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Agents as models, for clients of OpenAI's API. A request is one message for a worker: a new one, or the one that is
 * still there of the talk that {@code x-session-id} or {@code previous_response_id} names. A client that comes after its
 * worker ended gets a new one, which is told the talk so far. Owned by the event loop.
 *
 * <p>Decisions 0071, 0072.
 */
public final class OpenAiCalls {
    /** How long a request waits for a place. */
    private static final long PLACE_MS = 30_000;

    private static final String PROJECT = "openai";
    private static final String REPOSITORY = "brig-repository";
    private static final String APPLY = "brig-apply";
    private static final int SESSION_CHARACTERS_MAX = 256;
    private static final Pattern RESPONSE = Pattern.compile("resp_(spn_[a-z0-9]+)_\\d+");

    private final ListenerServices listeners;
    private final Spawner spawner;
    private final WorkerAgent workers;
    private final WorktreeChanges patches;
    /** Those whose worker is there, by its spawn_id. */
    private final Map<String, ModelSession> talks = new HashMap<>();

    private final Clock clock;

    public OpenAiCalls(ListenerServices listeners, Spawner spawner, WorkerAgent workers, Clock clock) {
        this.clock = clock;
        this.listeners = listeners;
        this.spawner = spawner;
        this.workers = workers;
        this.patches = new WorktreeChanges((spawnId, check) -> workers.apply(spawnId, check, List.of()));
    }

    /** {@code {"object": "list", "data": [{"id", "object", "created", "owned_by"}]}}: the agents that are offered. */
    public void models(Call call) {
        call.answer(
                200,
                offered()
                        .thenApply(names -> Map.of(
                                "object",
                                "list",
                                "data",
                                names.stream().map(OpenAiCalls::model).toList())));
    }

    /** One of them. */
    public void model(Call call) {
        call.answer(200, requireOffered(call.id()).thenApply(OpenAiCalls::model));
    }

    private CompletionStage<List<String>> offered() {
        return workers.hello()
                .thenApply(hello -> new Fields(hello)
                        .objects("agents").stream()
                                .filter(agent -> agent.flag("as_model"))
                                .map(agent -> agent.text("name", ""))
                                .toList());
    }

    /** Fails with {@code UNKNOWN_AGENT} where no model has that name. */
    private CompletionStage<String> requireOffered(String name) {
        return offered().thenApply(names -> {
            if (!names.contains(name)) {
                throw new BrigException(ErrorCode.UNKNOWN_AGENT, "no model '" + name + "'; there are " + names);
            }
            return name;
        });
    }

    private void withModel(Call call, String name, Runnable then) {
        requireOffered(name).whenComplete((offered, failure) -> {
            if (failure == null) {
                call.guard(then);
            } else {
                call.refuse(Problem.refusal(failure));
            }
        });
    }

    private static Map<String, ?> model(String name) {
        Map<String, Object> model = new LinkedHashMap<>();
        model.put("id", name);
        model.put("object", "model");
        model.put("created", 0);
        model.put("owned_by", "brig");
        return model;
    }

    /** How a kind of request wants its answer. */
    @FunctionalInterface
    private interface Form {
        Answer answer(HttpServerResponse response, AnswerHeader head);
    }

    public void chat(Call call) {
        requireApply(call);
        ModelRequest asked = ModelRequest.ofChat(call.body());
        Form form = asked.stream()
                ? (response, head) -> new ChatEvents(response, head.as("chatcmpl-"), asked.usage(), listeners.timers())
                : (response, head) -> new ChatCompletion(response, head.as("chatcmpl-"));
        String taskId = taskId(call, asked.agent());
        withModel(call, asked.agent(), () -> chat(call, asked, taskId, form));
    }

    private void chat(Call call, ModelRequest asked, @Nullable String taskId, Form form) {
        Optional<Session> running = taskId == null
                ? Optional.empty()
                : listeners.sessions().all().stream()
                        .filter(spawn ->
                                spawn.taskId().equals(taskId) && !spawn.state().isFinal())
                        .findFirst()
                        .map(listeners.sessions()::of);
        running.ifPresentOrElse(session -> goOn(call, asked, session, form), () -> begin(call, asked, taskId, form));
    }

    public void respond(Call call) {
        requireApply(call);
        ModelRequest asked = ModelRequest.ofResponses(call.body());
        Form form = asked.stream()
                ? (response, head) -> new ResponseEvents(response, head.as("resp_"), listeners.timers())
                : (response, head) -> new ResponseObject(response, head.as("resp_"));
        withModel(call, asked.agent(), () -> respond(call, asked, form));
    }

    private void respond(Call call, ModelRequest asked, Form form) {
        String previous = asked.previous();
        if (previous == null) {
            begin(call, asked, "response-" + Ids.newToken().substring(5, 25), form);
            return;
        }
        Matcher id = RESPONSE.matcher(previous);
        if (!id.matches()) {
            throw Fields.invalid("previous_response_id", "must be the id of an answer of this gateway");
        }
        goOn(call, asked, listeners.sessions().find(id.group(1)), form);
    }

    /** A header that would be refused at the end of the turn is refused at its beginning. */
    private static void requireApply(Call call) {
        WorktreeChanges.Apply.read(call.request().getHeader(APPLY));
    }

    /** The name of a talk's worker, made of the client's own id of the talk, which counts for that captain only. */
    private static @Nullable String taskId(Call call, String agent) {
        String id = call.request().getHeader("x-session-id");
        if (id == null || id.isEmpty()) {
            return null;
        }
        if (id.length() > SESSION_CHARACTERS_MAX) {
            throw Fields.invalid("x-session-id", "has more than " + SESSION_CHARACTERS_MAX + " characters");
        }
        return "chat-"
                + Ids.hashToken(call.access().captain() + "\n" + agent + "\n" + id)
                        .substring(0, 32);
    }

    private void begin(Call call, ModelRequest asked, @Nullable String taskId, Form form) {
        SpawnRequest request = request(call.request(), asked, taskId);
        Admission.Applicant asker = new Admission.Applicant(call.access().asker("openai"), PLACE_MS, call::isGone);
        spawner.spawn(request, asker).thenCompose(AcceptedSpawn::running).whenComplete((granted, failure) -> {
            if (failure != null) {
                call.refuse(Problem.refusal(failure));
                return;
            }
            Session session = listeners.sessions().find(granted.spawnId());
            call.guard(() -> new Reply(call, asked, session, talk(session, taskId != null), 1, form).begin());
        });
    }

    private static SpawnRequest request(HttpServerRequest http, ModelRequest asked, @Nullable String taskId) {
        Map<String, @Nullable Object> agent = new LinkedHashMap<>();
        agent.put("name", asked.agent());
        if (asked.system() != null) {
            agent.put("systemPrompt", asked.system());
        }
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("task_id", taskId);
        fields.put("agent_config", agent);
        fields.put("prompt", asked.wholeTalk());
        fields.put("project", PROJECT);
        String repository = http.getHeader(REPOSITORY);
        if (repository != null) {
            fields.put("repository", decoded(repository));
            fields.put("workspace_mode", "snapshot");
        }
        return SpawnRequest.read(new Fields(fields));
    }

    /** Headers are ASCII; a path may be more, with {@code %} as in a URL. */
    private static String decoded(String path) {
        try {
            return URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw Fields.invalid(REPOSITORY, "must be a path, with % as in a URL");
        }
    }

    /** The next turn of a talk whose worker is there. */
    private void goOn(Call call, ModelRequest asked, Session session, Form form) {
        Access access = call.access().in(session.spawn());
        access.requireCaptain();
        ModelSession talk = talk(session, true);
        talk.requireIdle();
        long from = session.spawn().log().nextSeq();
        session.handleMessage(access, new Fields(Map.of("role", "user", "content", asked.prompt())), true, "openai");
        new Reply(call, asked, session, talk, from, form).begin();
    }

    private ModelSession talk(Session session, boolean goesOn) {
        Spawn spawn = session.spawn();
        return talks.computeIfAbsent(
                spawn.spawnId(),
                id -> new ModelSession(
                        new ModelSession.Worker() {
                            @Override
                            public boolean isOver() {
                                return spawn.state().isFinal();
                            }

                            @Override
                            public void cancel() {
                                if (spawn.state() == SpawnState.RUNNING) {
                                    spawn.worker().cancel();
                                }
                            }

                            @Override
                            public void terminate(String reason) {
                                talks.remove(spawn.spawnId());
                                spawner.terminate(spawn, reason, spawn.captain());
                            }
                        },
                        listeners.timers(),
                        goesOn));
    }

    /** One turn of a talk, told to its client. */
    private final class Reply {
        private final Call call;
        private final Spawn spawn;
        private final ModelSession talk;
        private final Answer answer;
        private final AnswerSink turn;
        private final Subscription reader;

        /** @param from the first frame of the turn */
        Reply(Call call, ModelRequest asked, Session session, ModelSession talk, long from, Form form) {
            this.call = call;
            this.spawn = session.spawn();
            this.talk = talk;
            String id = spawn.spawnId() + "_" + from;
            answer = form.answer(call.response(), new AnswerHeader(id, clock.nowMs() / 1000, asked.agent()));
            turn = new AnswerSink(answer, this::handleOver);
            reader = session.subscribe(from, true, null, turn);
        }

        void begin() {
            call.response().drainHandler(room -> reader.drain());
            call.response().closeHandler(gone -> handleGone());
            talk.begin(ListenerServices.channel(call.request()));
            if (call.isGone()) {
                handleGone();
            }
            reader.drain();
        }

        /** The turn goes to its end unheard: the talk has cancelled it. */
        private void handleGone() {
            answer.close();
            turn.abandon();
            reader.drain();
        }

        private void handleOver(AnswerSink.End end) {
            // Not within the reader's own turn.
            listeners.timers().after(1, reader::close);
            boolean worktree = call.request().getHeader(REPOSITORY) != null && !call.isGone();
            CompletionStage<String> changes = worktree
                    ? patches.after(
                            spawn.spawnId(),
                            WorktreeChanges.Apply.read(call.request().getHeader(APPLY)))
                    : CompletableFuture.completedFuture("");
            changes.thenAccept(told -> {
                if (!call.isGone()) {
                    tell(end, told);
                }
                talk.handleOver();
            });
        }

        private void tell(AnswerSink.End end, String changes) {
            if (!changes.isEmpty()) {
                answer.text(changes);
            }
            if (end.failure() == null) {
                answer.done(end.usage());
            } else {
                answer.fail(end.failure());
            }
        }
    }
}
