package brig.gateway.model;

import brig.gateway.auth.Access;
import brig.gateway.connection.Problem;
import brig.gateway.http.Call;
import brig.gateway.limits.Admission;
import brig.gateway.listener.ListenerServices;
import brig.gateway.openai.AskCall;
import brig.gateway.openai.BufferedChat;
import brig.gateway.openai.BufferedResponse;
import brig.gateway.openai.ModelRequest;
import brig.gateway.openai.StreamedChat;
import brig.gateway.openai.StreamedResponse;
import brig.gateway.openai.message.ChatRequest;
import brig.gateway.openai.message.ModelList;
import brig.gateway.openai.message.ResponseRequest;
import brig.gateway.session.Session;
import brig.gateway.spawn.AcceptedSpawn;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.Spawner;
import brig.gateway.time.Clock;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.frame.CaptainLine;
import brig.protocol.frame.Frame;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.spawn.SpawnRequest.WorkspaceMode;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Agents as models, for clients of OpenAI's API. A request is one message to a worker: a new one, or the conversation's
 * living one, named by {@code x-session-id} or {@code previous_response_id}. After the worker's end the next request
 * gets a new one, which is given the conversation so far. Owned by the event loop.
 *
 * <p>Decisions 0071, 0072.
 */
public final class OpenAiCalls {
    /** How long a request waits for a place. */
    private static final long PLACE_MS = 30_000;

    private static final String PROJECT = "openai";

    private final ListenerServices listeners;
    private final Spawner spawner;
    private final OfferedModels models;
    private final ModelSessions sessions;
    private final WorktreeChanges changes;
    private final Clock clock;

    public OpenAiCalls(ListenerServices listeners, Spawner spawner, WorkerAgent workers, Clock clock) {
        this.listeners = listeners;
        this.spawner = spawner;
        this.clock = clock;
        models = new OfferedModels(workers);
        sessions = new ModelSessions(listeners, spawner);
        changes = new WorktreeChanges((spawnId, check) -> workers.apply(spawnId, check, List.of()));
    }

    /** Lists the offered agents. */
    public void models(Call call) {
        call.answer(200, models.names().thenApply(ModelList::of));
    }

    /** Returns one of them. */
    public void model(Call call, String name) {
        call.answer(200, models.require(name).thenApply(ModelList.Model::of));
    }

    public void chat(Call call, ChatRequest in) {
        WorktreeChanges.Apply apply = ModelCall.apply(call);
        ModelRequest asked = ModelRequest.of(in);
        ModelCall.Form form = asked.stream()
                ? (response, head) ->
                        new StreamedChat(response, head.as("chatcmpl-"), asked.usage(), listeners.timers())
                : (response, head) -> new BufferedChat(response, head.as("chatcmpl-"));
        ModelCall wanted = new ModelCall(call, asked, form, apply);
        String taskId = wanted.taskId();
        wanted.then(models.require(asked.agent()), model -> chat(wanted, taskId));
    }

    private void chat(ModelCall asked, @Nullable String taskId) {
        AskCall.Result result = asked.asked().result();
        if (result != null) {
            answer(asked, result);
            return;
        }
        Optional<Session> running = taskId == null ? Optional.empty() : sessions.running(taskId);
        running.ifPresentOrElse(session -> goOn(asked, session), () -> begin(asked, taskId));
    }

    public void respond(Call call, ResponseRequest in) {
        WorktreeChanges.Apply apply = ModelCall.apply(call);
        ModelRequest asked = ModelRequest.of(in);
        ModelCall.Form form = asked.stream()
                ? (response, head) -> new StreamedResponse(response, head.as("resp_"), listeners.timers())
                : (response, head) -> new BufferedResponse(response, head.as("resp_"));
        ModelCall wanted = new ModelCall(call, asked, form, apply);
        wanted.then(models.require(asked.agent()), model -> respond(wanted));
    }

    private void respond(ModelCall asked) {
        String previous = asked.asked().previous();
        AskCall.Result result = asked.asked().result();
        if (result != null) {
            answer(asked, result);
        } else if (previous == null) {
            begin(asked, ModelSessions.newTaskId());
        } else {
            goOn(asked, sessions.ofResponse(previous));
        }
    }

    /** The first turn of a new worker. */
    private void begin(ModelCall asked, @Nullable String taskId) {
        Call call = asked.call();
        Admission.Applicant asker = new Admission.Applicant(call.access().asker("openai"), PLACE_MS, call::isGone);
        asked.then(spawner.spawn(request(asked, taskId), asker).thenCompose(AcceptedSpawn::running), granted -> {
            Session session = listeners.sessions().find(granted.spawnId());
            reply(asked, session, sessions.of(session, taskId != null), 1);
        });
    }

    private static SpawnRequest request(ModelCall asked, @Nullable String taskId) {
        ModelRequest message = asked.asked();
        String repository = asked.repository();
        return new SpawnRequest(
                taskId,
                null,
                new SpawnRequest.AgentConfig(message.agent(), null, List.of(), message.system()),
                message.wholeTalk(),
                false,
                null,
                repository == null ? WorkspaceMode.FOLDER : WorkspaceMode.SNAPSHOT,
                repository,
                false,
                new SpawnRequest.Claim(null, SpawnRequest.Claim.LOCAL, PROJECT),
                asked.bounds(),
                SpawnRequest.Continuation.NEW,
                null);
    }

    /** The next turn of a conversation with a living worker. */
    private void goOn(ModelCall asked, Session session) {
        Access access = asked.call().access().in(session.spawn());
        access.requireCaptain();
        ModelSession talk = sessions.of(session, true);
        talk.requireIdle();
        long from = session.spawn().log().nextSeq();
        session.handleOrder(access, CaptainLine.UserMessage.of(asked.asked().prompt(), null), true, "openai");
        reply(asked, session, talk, from);
    }

    /**
     * Answers the ask that a tool of the client was called for, and goes on with its turn. Where somebody else was faster,
     * the turn goes on as well: its frames say what was answered.
     */
    private void answer(ModelCall asked, AskCall.Result result) {
        Access caller = asked.call().access();
        String askId = result.askId();
        Session session = sessions.ofAsk(caller, askId);
        Spawn spawn = session.spawn();
        caller.in(spawn).requireCaptain();
        Frame.Ask open = spawn.asks().find(askId);
        ModelSession talk = sessions.of(session, true);
        long resumed = talk.resumesAt(askId);
        if (open == null) {
            requireWaiting(talk, askId);
            reply(asked, session, talk, resumed);
            return;
        }
        if (resumed == 0) {
            // The gateway was restarted, or the client has the id from elsewhere.
            talk.requireIdle();
        }
        long from = resumed == 0 ? spawn.log().nextSeq() : resumed;
        asked.then(
                listeners
                        .sessions()
                        .answer(caller, result.answer(open), "openai")
                        .handle((given, failure) -> {
                            BrigException refusal = failure == null ? null : Problem.refusal(failure);
                            if (refusal != null && (refusal.code() != ErrorCode.ASK_SETTLED || resumed == 0)) {
                                throw refusal;
                            }
                            return from;
                        }),
                next -> {
                    if (resumed == 0) {
                        talk.requireIdle();
                    } else {
                        requireWaiting(talk, askId);
                    }
                    reply(asked, session, talk, next);
                });
    }

    private static void requireWaiting(ModelSession talk, String askId) {
        if (talk.resumesAt(askId) == 0) {
            throw new BrigException(ErrorCode.ASK_SETTLED, "the ask was settled before");
        }
    }

    private void reply(ModelCall asked, Session session, ModelSession talk, long from) {
        new Reply(asked, session, talk, from, clock, changes, listeners.timers()).begin();
    }
}
