package brig.workeragent.worker;

import brig.formats.adapter.Adapter;
import brig.formats.adapter.AgentTask;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.spawn.SpawnRequest.Asker;
import brig.workeragent.profile.AgentProfile;
import brig.workeragent.profile.Policy;
import brig.workeragent.recording.Recorder;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a worker is made from.
 *
 * <p>Decisions 0064, 0117.
 *
 * @param resources what was found for it on this host
 */
record WorkerPlan(
        String spawnId,
        SpawnRequest request,
        Asker asker,
        AgentProfile profile,
        Resources resources,
        Policy policy,
        Path workspace) {
    /**
     * What was found for a worker on this host.
     *
     * @param program of the profile's {@code install}, behind the wall; null where it has none
     * @param recorder takes down what its agent writes; null where that is not wanted
     */
    record Resources(
            @Nullable String program,
            Adapter adapter,
            @Nullable Recorder recorder) {}

    /** Where the agent finds its workspace. */
    private static final String WORKSPACE = "/workspace";

    /** What a dialogue with the agent has to know. */
    AgentTask task() {
        return new AgentTask(
                WORKSPACE,
                request.model(),
                request.systemPrompt(),
                request.talk().resume(),
                profile.raw(),
                profile.permissions().equals("allow"));
    }

    /** How long each process may run, 0 for ever: what the policy allows, or less where the captain said so. */
    long wallClockMs() {
        long allowed = policy.wallClockMs();
        long asked = TimeUnit.SECONDS.toMillis(request.bounds().timeoutSeconds());
        return allowed == 0 || asked == 0 ? Math.max(allowed, asked) : Math.min(allowed, asked);
    }
}
