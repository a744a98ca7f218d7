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
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A spawn as those see it who talk to it: whose token it knows, what each role may do. All ways in end here. Owned by
 * the event loop.
 */
public final class Session {
    private final Spawn spawn;
    private final Sessions sessions;

    Session(Spawn spawn, Sessions sessions) {
        this.spawn = spawn;
        this.sessions = sessions;
    }

    /** Refuses readers of a spawn that has nothing to read yet. @throws BrigException {@code SESSION_NOT_READY}, {@code SESSION_ENDED} */
    public void requireAttachable() {
        if (!spawn.isAttachable()) {
            throw spawn.notReady();
        }
    }

    /**
     * The frame that a reader with that position gets next.
     *
     * @param position the last frame that it has; empty for none
     */
    public long resumePoint(Optional<StreamPosition> position) {
        StreamLog log = spawn.log();
        return position.filter(last -> last.epoch().equals(log.epoch()))
                .map(last -> log.resumePoint(last.seq() + 1))
                .orElse(1L);
    }

    /**
     * Adds a reader; it gets its first frame when it is drained.
     *
     * @param narrowing which frames it wants; null for all
     * @throws BrigException as {@link StreamLog#subscribe}
     */
    public Subscription subscribe(long fromSeq, boolean tethered, @Nullable AgentFilter narrowing, FrameSink sink) {
        return spawn.log().subscribe(fromSeq, tethered, narrowing, sink);
    }

    /** The agents of the session as its frames tell of them until now; also of one that has ended. */
    public CompletionStage<TreeView> tree() {
        return spawn.tree().read().thenApply(tree -> {
            sessions.noteRead(spawn);
            return tree.view(new AgentTree.Owner(
                    spawn.spawnId(),
                    spawn.taskId(),
                    spawn.agent(),
                    spawn.state(),
                    spawn.doing(),
                    spawn.log().epoch(),
                    spawn.log().lastSeq()));
        });
    }

    /**
     * Somebody is there from now on.
     *
     * @param listener gets lines about who is there; null for who does not want them
     * @return to be run once, when the connection is gone
     */
    public Runnable join(Access access, @Nullable Consumer<ConnectionLine.Presence> listener) {
        Role role = access.role() == Role.WATCHER ? Role.WATCHER : Role.CAPTAIN;
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

    /** The spawn is to run soon, or runs already: from then on it waits for captains, as long as its lease says. */
    public void expectCaptains() {
        spawn.settled().thenRun(() -> {
            Presence presence = sessions.known(spawn);
            if (presence == null || !presence.hasCaptains()) {
                sessions.leases().release(spawn);
            }
        });
    }

    /**
     * Reads what somebody sends who has authenticated.
     *
     * @throws BrigException {@code FORBIDDEN} for a watcher, who may {@code ping} alone; as {@link CaptainLine#order}
     */
    public CaptainLine.Order read(Access access, JsonObject line) {
        if (!"ping".equals(line.text("action"))) {
            access.requireCaptain();
        }
        return CaptainLine.order(line);
    }

    /**
     * Does what somebody wants who has authenticated.
     *
     * @param takeControl takes control first, where another captain has it
     * @param via the way by which it came, which frames tell
     * @return the line to answer with, null for none
     * @throws BrigException where it is refused; nothing was done then
     */
    public @Nullable ConnectionLine handleOrder(
            Access access, CaptainLine.Order order, boolean takeControl, String via) {
        if (order instanceof CaptainLine.Ping) {
            return new ConnectionLine.Pong();
        }
        access.requireCaptain();
        switch (order) {
            case CaptainLine.UserMessage message -> handleUser(access, message, takeControl, via);
            case CaptainLine.Cancel _ -> {
                requireControl(access, takeControl);
                spawn.worker().cancel();
            }
            case CaptainLine.Terminate _ -> sessions.terminator().terminate(spawn, "requested", access.captain());
            case CaptainLine.TakeControl _ -> sessions.presence(spawn).take(access.captain());
            case CaptainLine.ReleaseControl _ -> sessions.presence(spawn).release(access.captain());
            case CaptainLine.Ping _ -> {}
        }
        return null;
    }

    /** Refuses a captain while another has control. @throws BrigException {@code CONTROL_HELD} */
    public void requireControl(Access access) {
        requireControl(access, false);
    }

    /** @throws BrigException {@code SESSION_ENDED} or {@code SESSION_NOT_READY} where there is no worker */
    public void requireAlive() {
        var _ = spawn.worker();
    }

    /** Between captains only one speaks. A session that nobody is connected to is nobody's. */
    private void requireControl(Access access, boolean takeControl) {
        Presence presence = sessions.known(spawn);
        if (presence != null) {
            if (takeControl) {
                presence.take(access.captain());
            }
            presence.requireControl(access.captain());
        }
    }

    private void handleUser(Access access, CaptainLine.UserMessage message, boolean takeControl, String via) {
        String id = message.messageId();
        try {
            WorkerStream worker = spawn.worker();
            requireControl(access, takeControl);
            worker.input(new Message(message.content(), id, access.captain(), via));
        } catch (BrigException refusal) {
            throw refusal.withMessageId(id);
        }
    }

    /** What lists of sessions show: the spawn's view, and whether it can be talked to. */
    public SpawnView view() {
        return spawn.view().listed(SessionStatus.of(spawn.state()), spawn.tree().usage());
    }

    /** The line that a connection gets when it may read. */
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
