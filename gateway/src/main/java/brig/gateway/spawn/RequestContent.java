package brig.gateway.spawn;

import brig.protocol.json.Json;
import brig.protocol.record.Default;
import brig.protocol.record.OmitEmpty;
import brig.protocol.spawn.Budget;
import brig.protocol.spawn.PermissionMode;
import brig.protocol.spawn.RootOverlay;
import brig.protocol.spawn.SpawnRequest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The content that makes two requests equal. Besides the fields named in PROTOCOL.md it includes all that determines
 * what is started, so that nobody gets a different session's tokens. Captains do not share requests; all admins count
 * as one.
 *
 * <p>A hash of {@link #bytes} is stored on disk: names and order of the fields must not change.
 *
 * @param permissions null if the profile says it
 * @param cwd the workspace
 * @param timeout seconds
 * @param captain null for an admin
 */
record RequestContent(
        @Nullable String taskId,
        Agent agentConfig,
        @Nullable String model,
        @Nullable String prompt,
        boolean once,
        @Nullable String policy,
        @Default("folder") SpawnRequest.WorkspaceMode workspaceMode,
        @Nullable String repository,
        @OmitEmpty boolean shareWorkspace,
        String provider,
        @OmitEmpty String project,
        @Nullable List<String> envAllowlist,
        @OmitEmpty long timeout,
        @OmitEmpty long leaseSeconds,
        @Nullable Budget budget,
        @Nullable String wall,
        @Nullable String resume,
        @OmitEmpty boolean record,
        SpawnRequest.Continuation.@Nullable Checkpoints checkpoints,
        @Nullable PermissionMode permissions,
        @Nullable String parent,
        @Nullable String host,
        @OmitEmpty List<String> on,
        SpawnRequest.@Nullable Tunnel tunnel,
        @OmitEmpty List<SpawnRequest.Tunnel> furtherTunnels,
        @Nullable String root,
        @Nullable RootOverlay rootOverlay,
        @OmitEmpty Map<String, String> variables,
        @OmitEmpty List<String> prepare,
        @Nullable String cwd,
        @Nullable String captain) {
    /** The agent without its model. */
    record Agent(String name, List<String> tools, @Nullable String systemPrompt) {}

    static RequestContent of(SpawnRequest request, SpawnRequest.Asker asker) {
        return new RequestContent(
                request.taskId(),
                new Agent(request.agent(), request.tools(), request.systemPrompt()),
                request.model(),
                request.prompt(),
                request.once(),
                request.policy(),
                request.workspaceMode(),
                request.repository(),
                request.shareWorkspace(),
                request.claim().provider(),
                request.claim().project(),
                request.bounds().envAllowlist(),
                request.bounds().timeoutSeconds(),
                request.bounds().leaseSeconds(),
                request.bounds().budget(),
                request.bounds().wall(),
                request.talk().resume(),
                request.talk().record(),
                request.talk().checkpoints(),
                request.agentConfig().permissions(),
                request.parent(),
                request.place().host(),
                request.place().on(),
                request.place().tunnel(),
                request.place().furtherTunnels(),
                request.place().root(),
                request.place().rootOverlay(),
                request.setup().variables(),
                request.setup().prepare(),
                request.workspace(),
                asker.admin() ? null : asker.captain());
    }

    /** The canonical bytes of the content. */
    byte[] bytes() {
        return Json.canonical(this);
    }
}
