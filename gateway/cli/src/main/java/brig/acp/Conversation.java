package brig.acp;

import brig.acp.message.AgentNotification;
import brig.acp.message.EditorRequest;
import brig.acp.message.SessionUpdate;
import brig.acp.view.PathMapping;
import brig.acp.view.SessionUpdates;
import brig.protocol.Limits;
import brig.protocol.api.Answers;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.frame.CaptainLine;
import brig.protocol.json.Json;
import brig.protocol.rpc.RpcError;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A session that the editor has open. Prompts and cancels come from the thread that reads the editor; another reads the
 * session.
 *
 * <p>Decisions 0081, 0083.
 */
final class Conversation {
    private final String id;
    private final String spawnId;
    private final boolean own;
    private final PathMapping places;
    private final AcpContext context;
    private final SessionLink link;
    private final Prompts prompts;
    private final SessionUpdates updates;
    /** A sentence that the user sees with the next prompt; null for none. */
    private final AtomicReference<@Nullable String> notice = new AtomicReference<>();

    /**
     * @param id as the editor names it
     * @param own the editor began it, rather than finding it
     */
    Conversation(String id, String spawnId, boolean own, PathMapping places, AcpContext context) {
        this.id = id;
        this.spawnId = spawnId;
        this.own = own;
        this.places = places;
        this.context = context;
        this.link = new SessionLink(context.gateway(), spawnId);
        this.prompts = new Prompts(context.rpc(), () -> link.send(new CaptainLine.Cancel()));
        this.updates = new SessionUpdates(places, this::update);
    }

    String id() {
        return id;
    }

    boolean isOwn() {
        return own;
    }

    private void update(SessionUpdate update) {
        context.rpc().notify(new AgentNotification.Updated(id, update));
    }

    /** A sentence that the user sees with the first prompt. */
    void noteLater(String sentence) {
        notice.set(sentence);
    }

    /** Connects, and begins to read. @throws brig.protocol.BrigException where the gateway refuses */
    void open(SessionReader.History history) {
        Asks asks = new Asks(id, spawnId, context, this::update, updates::note);
        SessionReader reader = new SessionReader(id, context, prompts, updates, asks, history);
        link.open(history.from(), id, reader);
    }

    /**
     * A prompt of the editor; it is answered when its turn is over.
     *
     * @param request the id of the editor's request
     * @throws RpcException where it cannot be taken
     */
    void prompt(@Nullable Object request, EditorRequest.Prompt prompt) {
        String content = PromptText.of(prompt.prompt(), places);
        if (content.isEmpty()) {
            throw new RpcException(RpcError.INVALID_PARAMS, "the prompt is empty");
        }
        prompts.requireMore();
        String name = UUID.randomUUID().toString();
        CaptainLine.UserMessage sent = CaptainLine.UserMessage.of(content, name);
        if (Json.writeLine(sent).length > Limits.MESSAGE_BYTES_MAX) {
            throw new RpcException(
                    RpcError.INVALID_PARAMS, "a prompt has at most " + Limits.MESSAGE_BYTES_MAX + " bytes");
        }
        String sentence = notice.getAndSet(null);
        if (sentence != null) {
            updates.note(sentence);
        }
        prompts.add(name, request, () -> {
            if (prompt.takesControl()) {
                link.send(new CaptainLine.TakeControl());
            }
            link.send(sent);
        });
    }

    /** Stops what the editor asked for, and without that, what anybody did. */
    void cancel() {
        prompts.cancel();
    }

    /** The same for the prompt of one request; nothing where it is none of this session. */
    void cancel(Object request) {
        prompts.cancel(request);
    }

    boolean isBusy() {
        return prompts.isBusy();
    }

    /** The session is known to be over; what there is can be read. */
    void noteEnded() {
        prompts.takeNoMore();
    }

    /** Leaves the session; prompts that wait are answered as cancelled. */
    void close() {
        prompts.close();
        link.close();
    }

    /** Ends the session. @throws brig.protocol.BrigException where the gateway refuses */
    void terminate() {
        context.gateway().request(new SpawnerRequest.Terminate(spawnId), Answers.Done.class);
    }
}
