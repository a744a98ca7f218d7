package brig.gateway.session;

import brig.gateway.auth.Access;
import brig.gateway.spawn.Spawn;
import brig.gateway.stream.AgentFilter;
import brig.gateway.stream.FrameSink;
import brig.gateway.stream.StreamLog;
import brig.gateway.stream.Subscription;
import brig.gateway.tree.AgentTree;
import brig.gateway.worker.WorkerStream;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Role;
import brig.protocol.StreamPosition;
import brig.protocol.api.SessionStatus;
import brig.protocol.api.SpawnView;
import brig.protocol.api.TreeView;
import brig.protocol.control.Message;
import brig.protocol.frame.CaptainLine;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.json.JsonObject;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A spawn as its clients use it: authentication of tokens and the rights of each role. All interfaces use this class.
 * Owned by the event loop.
 */
public final class Session {
    private static final Logger log = LoggerFactory.getLogger(Session.class);

    private final Spawn spawn;
    private final Sessions sessions;

    Session(Spawn spawn, Sessions sessions) {
        this.spawn = spawn;
        this.sessions = sessions;
    }

    /** Refuses a spawn without frames. @throws BrigException {@code SESSION_NOT_READY}, {@code SESSION_ENDED} */
    public void requireAttachable() {
        if (!spawn.isAttachable()) {
            throw spawn.notReady();
        }
    }

    /**
     * The next frame for a subscriber at that position.
     *
     * @param position the last frame received; empty for none
     */
    public long resumePoint(Optional<StreamPosition> position) {
        StreamLog log = spawn.log();
        return position.filter(last -> last.epoch().equals(log.epoch()))
                .map(last -> log.resumePoint(last.seq() + 1))
                .orElse(1L);
    }

    /**
     * Adds a subscriber; it gets its first frame when it is drained.
     *
     * @param narrowing selects the frames wanted; null for all
     * @param maxLatencyMs how long text may wait to be merged; 0 for frames as they are
     * @throws BrigException as {@link StreamLog#subscribe}
     */
    public Subscription subscribe(
            long fromSeq, boolean tethered, @Nullable AgentFilter narrowing, long maxLatencyMs, FrameSink sink) {
        return spawn.log().subscribe(fromSeq, tethered, narrowing, maxLatencyMs, sink);
    }

    /** The current agents of the session, derived from its frames; also of an ended session. */
    public CompletionStage<TreeView> tree() {
        boolean known = spawn.tree().usage() != null;
        return spawn.tree().read().thenApply(tree -> {
            sessions.noteRead(spawn);
            if (!known) {
                spawn.handleChanged();
            }
            return tree.view(new AgentTree.Owner(
                    spawn.spawnId(),
                    spawn.taskId(),
                    spawn.agent(),
                    spawn.host(),
                    spawn.state(),
                    spawn.doing(),
                    spawn.log().epoch(),
                    spawn.log().lastSeq()));
        });
    }

    /**
     * Registers a connection.
     *
     * @param listener gets lines about who is connected; null for none
     * @return to be run once, when the connection is gone
     */
    public Runnable join(Access access, @Nullable Consumer<ConnectionLine.Presence> listener) {
        Role role = access.connectionRole();
        Presence presence = sessions.presence(spawn);
        Runnable leave = presence.join(new Presence.Member(access.captain(), role, listener));
        if (role == Role.WATCHER) {
            return leave;
        }
        sessions.leases().hold(spawn);
        return () -> {
            leave.run();
            if (!presence.hasCaptains()) {
                sessions.leases().release(spawn);
            }
        };
    }

    /** Logs which subscriber is cut off because it is slow, and where it may resume. */
    public void logLeave(ErrorCode why, Access access, Subscription subscription) {
        if (why == ErrorCode.SLOW_READER) {
            log.atInfo()
                    .addKeyValue("spawn_id", spawn.spawnId())
                    .addKeyValue("captain", access.captain())
                    .addKeyValue("role", access.connectionRole())
                    .addKeyValue("from", subscription.nextSeq())
                    .log("{} a subscriber is cut off", why);
        }
    }

    /** Starts the spawn's lease when it runs, or at once if it does. */
    public void expectCaptains() {
        spawn.settled().thenRun(() -> {
            Presence presence = sessions.known(spawn);
            if (presence == null || !presence.hasCaptains()) {
                sessions.leases().release(spawn);
            }
        });
    }

    /**
     * Parses the line of an authenticated client.
     *
     * @throws BrigException {@code FORBIDDEN} for what only others may send; as {@link CaptainLine#order}
     */
    public CaptainLine.Order read(Access access, JsonObject line) {
        switch (line.text("action")) {
            case "ping" -> {}
            case "answer_ask" -> access.requireApprover();
            case null, default -> access.requireCaptain();
        }
        return CaptainLine.order(line);
    }

    /**
     * Carries out the order of an authenticated client.
     *
     * @param takeControl takes control first if another captain holds it
     * @param via the interface it came by, which frames report
     * @return the line to answer with, perhaps later, or a refusal; null for none
     * @throws BrigException if it is refused, without side effects
     */
    public @Nullable CompletionStage<? extends ConnectionLine> handleOrder(
            Access access, CaptainLine.Order order, boolean takeControl, String via) {
        if (order instanceof CaptainLine.Ping) {
            return CompletableFuture.completedFuture(new ConnectionLine.Pong());
        }
        if (order instanceof CaptainLine.AnswerAsk answer) {
            return sessions.answerWithin(access, spawn, answer, via)
                    .thenApply(given -> new ConnectionLine.Answer(given.askId(), given.option(), given.text()));
        }
        access.requireCaptain();
        switch (order) {
            case CaptainLine.UserMessage message -> handleUser(access, message, takeControl, via);
            case CaptainLine.Cancel _ -> {
                requireTurns();
                requireControl(access, takeControl);
                spawn.worker().cancel();
            }
            case CaptainLine.Terminate _ -> sessions.terminator().terminate(spawn, "requested", access.captain());
            case CaptainLine.TakeControl _ -> sessions.presence(spawn).take(access.captain());
            case CaptainLine.ReleaseControl _ -> sessions.presence(spawn).release(access.captain());
            case CaptainLine.AtTerminal _ ->
                throw new BrigException(ErrorCode.INPUT_NOT_ACCEPTED, "keys go with a connection");
            case CaptainLine.Ping _, CaptainLine.AnswerAsk _ -> {}
        }
        return null;
    }

    /**
     * Passes on what a captain does at the agent's terminal.
     *
     * @param connection which {@link #join} knows; its size is forgotten by {@link #leaveTerminal}
     * @throws BrigException if it is refused, without side effects
     */
    public void handleTerminal(Access access, CaptainLine.AtTerminal order, Object connection) {
        access.requireCaptain();
        WorkerStream worker = spawn.worker();
        if (!spawn.isOnTerminal()) {
            throw new BrigException(ErrorCode.INPUT_NOT_ACCEPTED, "the session has no terminal");
        }
        TerminalSizes sizes = sessions.presence(spawn).sizes();
        switch (order) {
            case CaptainLine.Keys keys -> {
                requireControl(access);
                sizes.type(connection);
                sizes.news(spawn.isTtySmallest()).ifPresent(worker::resize);
                worker.keys(keys.data());
            }
            case CaptainLine.Resize resize -> {
                sizes.resize(connection, resize.size());
                sizes.news(spawn.isTtySmallest()).ifPresent(worker::resize);
            }
        }
    }

    /** That connection is gone, and its terminal with it. */
    public void leaveTerminal(Object connection) {
        Presence presence = sessions.known(spawn);
        if (presence != null && spawn.isOnTerminal() && spawn.isConnected()) {
            presence.sizes().leave(connection);
            try {
                presence.sizes().news(spawn.isTtySmallest()).ifPresent(spawn.worker()::resize);
            } catch (BrigException busy) {
                log.atDebug().addKeyValue("spawn_id", spawn.spawnId()).log("keeps its size: {}", busy.getMessage());
            }
        }
    }

    /** Refuses a captain while another holds control. @throws BrigException {@code CONTROL_HELD} */
    public void requireControl(Access access) {
        requireControl(access, false);
    }

    /** @throws BrigException {@code SESSION_ENDED} or {@code SESSION_NOT_READY} if there is no worker */
    public void requireAlive() {
        var _ = spawn.worker();
    }

    /** Only one captain writes at a time. Without connections nobody holds control. */
    private void requireControl(Access access, boolean takeControl) {
        Presence presence = sessions.known(spawn);
        if (presence != null) {
            if (takeControl) {
                presence.take(access.captain());
            }
            presence.requireControl(access.captain());
        }
    }

    private void requireTurns() {
        if (spawn.isOnTerminal()) {
            throw new BrigException(
                    ErrorCode.INPUT_NOT_ACCEPTED, "the agent is on a terminal, and has no turns: send keys");
        }
    }

    private void handleUser(Access access, CaptainLine.UserMessage message, boolean takeControl, String via) {
        String id = message.messageId();
        try {
            WorkerStream worker = spawn.worker();
            requireTurns();
            requireControl(access, takeControl);
            worker.input(new Message(message.content(), id, access.captain(), via));
        } catch (BrigException refusal) {
            throw refusal.withMessageId(id);
        }
    }

    /** The view for lists of sessions: the spawn's view and its status. */
    public SpawnView view() {
        return spawn.view().listed(SessionStatus.of(spawn.state()), spawn.tree().usage());
    }

    /** The first line of a connection that may read. */
    public ConnectionLine.Authenticated welcome(Role role, long fromSeq) {
        return new ConnectionLine.Authenticated(
                spawn.spawnId(),
                spawn.taskId(),
                role.wireName(),
                spawn.log().epoch(),
                fromSeq,
                spawn.state().wireName());
    }

    public Spawn spawn() {
        return spawn;
    }
}
