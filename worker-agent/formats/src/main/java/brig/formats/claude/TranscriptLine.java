package brig.formats.claude;

import brig.formats.claude.ClaudeMessage.Content;
import brig.formats.claude.ClaudeMessage.ToolUseResult;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Default;
import brig.protocol.record.Flat;
import brig.protocol.record.Foreign;
import brig.protocol.record.Tagged;
import org.jspecify.annotations.Nullable;

/**
 * A line of a transcript.
 *
 * @param agentId the sub-agent that wrote it
 * @param said null if it makes no frame
 */
@Foreign
@CamelCase
record TranscriptLine(
        @Nullable String sessionId,
        @Nullable String agentId,
        @Nullable String timestamp,
        boolean isSidechain,
        @Flat @Nullable Said said) {

    /** A message that standard output has too. */
    @Tagged("type")
    @Foreign
    @CamelCase
    sealed interface Said {}

    /** @param version the version of Claude Code */
    record Assistant(
            Content message,
            boolean isApiErrorMessage,
            @Nullable String version) implements Said {}

    /** @param isMeta whether Claude Code itself wrote it */
    record User(@Default("transcript") String uuid, Content message, boolean isMeta, ToolUseResult toolUseResult)
            implements Said {}
}
