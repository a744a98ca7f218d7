package brig.formats.adapter;

import brig.protocol.json.JsonObject;
import brig.protocol.record.Default;
import brig.protocol.record.Foreign;
import org.jspecify.annotations.Nullable;

/**
 * What a hook of Claude Code or Codex is told, with the fields that Brig reads. Source: {@code code.claude.com/docs/en/hooks}.
 *
 * @param agentId the sub-agent concerned
 * @param source why a session starts: {@code startup}, {@code resume}, {@code clear}
 */
@Foreign
public record HookEvent(
        @Default("") String hookEventName,
        @Default("") String sessionId,
        @Nullable String transcriptPath,
        @Nullable String agentId,
        @Nullable String agentType,
        @Default("") String source,
        @Default("") String notificationType,
        @Nullable String message,
        @Nullable String toolName) {
    /** Reads a line; an event without a name if it is none. */
    public static HookEvent read(byte[] line) {
        JsonObject object = NativeJson.readOutput(line, 0, line.length);
        return (object == null ? JsonObject.EMPTY : object).as(HookEvent.class);
    }

    /** How the session's transcript is read from here on. */
    public TranscriptReader.Mode mode() {
        return source.equals("resume") ? TranscriptReader.Mode.NEW_LINES : TranscriptReader.Mode.LINES;
    }

    /** Tells what the event says about the agent's activity. */
    public void tell(AgentActivity activity) throws InterruptedException {
        switch (hookEventName) {
            case "SessionStart", "Stop", "StopFailure" -> activity.idles();
            case "UserPromptSubmit" -> {
                if (agentId == null) {
                    activity.works();
                }
            }
            case "PermissionRequest" -> activity.waits(toolName == null ? null : "wants to use " + toolName);
            case "Notification" -> {
                if (notificationType.contains("permission")
                        || notificationType.contains("input")
                        || notificationType.contains("elicitation")) {
                    activity.waits(message);
                }
            }
            default -> {}
        }
    }
}
