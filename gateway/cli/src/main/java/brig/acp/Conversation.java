package brig.acp;

import brig.acp.message.AgentNotification;
import brig.acp.message.EditorRequest;
import brig.acp.message.SessionUpdate;
import brig.acp.view.PathMapping;
import brig.acp.view.SessionUpdates;
import brig.captain.RpcException;
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
    /** A sentence to show with the next prompt; null for none. */
    private final AtomicReference<@Nullable String> notice = new AtomicReference<>();

    /**
     * @param id the editor's id of the session
     * @param own whether the editor began it
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

    /** Shows a sentence with the first prompt. */
    void noteLater(String sentence) {
        notice.set(sentence);
    }

    /** Connects and begins to read. @throws brig.protocol.BrigException if the gateway refuses */
    void open(SessionReader.History history) {
        Asks asks = new Asks(id, context, this::update, updates::note);
        SessionReader reader = new SessionReader(id, context, prompts, updates, asks, history);
        link.open(history.from(), id, reader);
    }

    /**
     * Handles a prompt of the editor, which is answered at the end of its turn.
     *
     * @param request the id of the editor's request
     * @throws RpcException if it is refused
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

    /** Cancels the editor's prompts, or else the current turn of anybody. */
    void cancel() {
        prompts.cancel();
    }

    /** Cancels the prompt of one request; no effect if it is not of this session. */
    void cancel(Object request) {
        prompts.cancel(request);
    }

    boolean isBusy() {
        return prompts.isBusy();
    }

    /** The session is known to have ended; its frames can still be read. */
    void noteEnded() {
        prompts.takeNoMore();
    }

    /** Leaves the session; waiting prompts are answered as cancelled. */
    void close() {
        prompts.close();
        link.close();
    }

    /** Ends the session. @throws brig.protocol.BrigException if the gateway refuses */
    void terminate() {
        context.gateway().request(new SpawnerRequest.Terminate(spawnId), Answers.Done.class);
    }
}
