package brig.workeragent.worker;

import brig.formats.adapter.Adapter;
import brig.formats.adapter.AgentTask;
import brig.protocol.control.Fork;
import brig.protocol.control.Message;
import brig.protocol.frame.Frame;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.spawn.SpawnRequest.Asker;
import brig.protocol.spawn.TerminalSize;
import brig.workeragent.budget.Budgets;
import brig.workeragent.profile.AgentProfile;
import brig.workeragent.profile.Policy;
import brig.workeragent.pump.Outbox;
import brig.workeragent.recording.Recorder;
import brig.workeragent.tunnel.Tunnel;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Everything needed to run a worker.
 *
 * <p>Decisions 0064, 0117.
 *
 * @param resources its resources on this host
 * @param workspace its folder
 * @param terms of its budget
 * @param fork what it begins with, if it is a fork; null otherwise
 */
record WorkerPlan(
        String spawnId,
        SpawnRequest request,
        Asker asker,
        AgentProfile profile,
        Resources resources,
        Policy policy,
        Workspace workspace,
        Budgets.Terms terms,
        @Nullable Fork fork) {
    /**
     * A worker's resources on this host.
     *
     * @param program of the profile's {@code install}, behind the wall; null for none
     * @param recorder records the agent's output; null if that is not wanted
     * @param keeper takes a checkpoint before each message; null if that is not wanted
     */
    record Resources(
            @Nullable String program,
            Adapter adapter,
            @Nullable Recorder recorder,
            @Nullable Keeper keeper) {}

    /** Keeps what is in the workspace. */
    @FunctionalInterface
    interface Keeper {
        /**
         * @param outbox for the frame that tells of it
         * @throws brig.protocol.BrigException if it cannot be kept
         */
        void keep(Outbox outbox);
    }

    /**
     * The folder that the agent works in.
     *
     * @param shown as people name it: its real path on this host, or {@code HOST:PATH}
     * @param inside its path behind the wall
     */
    record Workspace(String shown, String inside) {
        /** A folder of this host. */
        static Workspace of(Path folder) {
            return of(folder, null);
        }

        /** A folder of this host, unless the session has a tunnel. */
        static Workspace of(Path folder, @Nullable Tunnel tunnel) {
            return tunnel == null
                    ? new Workspace(folder.toString(), "/workspace")
                    : new Workspace(tunnel.shown(), tunnel.inside().toString());
        }
    }

    /** Of a worker that is no fork, without a budget. */
    WorkerPlan(
            String spawnId,
            SpawnRequest request,
            Asker asker,
            AgentProfile profile,
            Resources resources,
            Policy policy,
            Workspace workspace) {
        this(spawnId, request, asker, profile, resources, policy, workspace, Budgets.Terms.NONE, null);
    }

    /** Whether its agent starts without waiting for a message. */
    boolean startsAtOnce() {
        return profile.oneProcess() || request.prompt() != null;
    }

    /** The message of the request; null for none. */
    @Nullable
    Message first() {
        String prompt = request.prompt();
        return prompt == null ? null : new Message(prompt, null, asker.captain(), asker.via());
    }

    /** What its agent knows of the session that it is a fork of. A plain program could take words for its work. */
    Frame.Forked.Conversation conversation() {
        if (fork == null || !resources.adapter().hasTurns()) {
            return Frame.Forked.Conversation.NONE;
        }
        return fork.session() != null
                ? Frame.Forked.Conversation.AGENT
                : fork.summary() != null ? Frame.Forked.Conversation.SUMMARY : Frame.Forked.Conversation.NONE;
    }

    /** What its agent is told before its first message; null for nothing. */
    @Nullable
    String summary() {
        return fork != null && conversation() == Frame.Forked.Conversation.SUMMARY ? fork.summary() : null;
    }

    /** The agent's own id of the session that it goes on with a copy of; null for none. */
    @Nullable
    String copied() {
        return fork != null && conversation() == Frame.Forked.Conversation.AGENT ? fork.session() : null;
    }

    /** The size of the agent's terminal at its start; null for none. */
    @Nullable
    TerminalSize tty() {
        return request.talk().tty();
    }

    /** The context of a dialogue with the agent. */
    AgentTask task() {
        return new AgentTask(
                workspace.inside(),
                request.model(),
                request.systemPrompt(),
                copied() == null ? request.talk().resume() : copied(),
                profile.raw(),
                profile.permissionsFor(request),
                copied() != null);
    }

    long wallClockMs() {
        return wallClockMs(policy, request);
    }

    /** Time limit of each process, 0 for none: the policy's, or the captain's if that is shorter. */
    static long wallClockMs(Policy policy, SpawnRequest request) {
        long allowed = policy.wallClockMs();
        long asked = TimeUnit.SECONDS.toMillis(request.bounds().timeoutSeconds());
        return allowed == 0 || asked == 0 ? Math.max(allowed, asked) : Math.min(allowed, asked);
    }
}
