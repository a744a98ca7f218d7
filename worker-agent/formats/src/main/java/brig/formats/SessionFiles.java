package brig.formats;

import brig.formats.acp.OpenCodeExport;
import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.FrameSink;
import brig.formats.adapter.NativeJson;
import brig.formats.adapter.NativeLines;
import brig.formats.adapter.SessionFile;
import brig.formats.claude.ClaudeSessionFile;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Opens the session files that agents write. */
public final class SessionFiles {
    /** A transcript names its session within this many lines. */
    private static final int HEAD_LINES = 50;

    private SessionFiles() {}

    /**
     * Opens a transcript of Claude Code ({@code <session>.jsonl}) or an export of OpenCode ({@code opencode export}).
     *
     * @param sink takes the frames
     * @throws BrigException {@code INVALID_FIELD} if the file is neither
     */
    public static SessionFile open(Path file, FrameSink sink) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw refusal(file + (Files.exists(file) ? " is no file" : " does not exist"));
        }
        AgentFrames frames = new AgentFrames(sink);
        frames.at(System.currentTimeMillis());
        List<JsonObject> head = head(file);
        if (head.stream().anyMatch(line -> line.has("payload") && line.has("timestamp"))) {
            throw refusal(
                    file
                            + " is a rollout of Codex, which cannot be read yet; 'codex exec --json' can, see 'brig track --help'");
        }
        for (JsonObject line : head) {
            if (line.has("sessionId") && line.has("type")) {
                return new ClaudeSessionFile(file, folderIn(head), frames);
            }
        }
        return OpenCodeExport.read(file, frames)
                .orElseThrow(
                        () -> refusal(
                                file
                                        + " is neither a transcript of Claude Code (~/.claude/projects/*/SESSION.jsonl) nor what 'opencode export SESSION' writes"));
    }

    private static String folderIn(List<JsonObject> head) {
        return head.stream()
                .filter(line -> line.has("cwd"))
                .map(line -> line.text("cwd", ""))
                .findFirst()
                .orElse("");
    }

    private static BrigException refusal(String why) {
        return new BrigException(ErrorCode.INVALID_FIELD, why);
    }

    /** The JSON objects among the first lines. */
    private static List<JsonObject> head(Path file) throws IOException {
        List<JsonObject> head = new ArrayList<>();
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(NativeLines.LINE_BYTES_MAX);
            for (int at = 0, end = 0; at < bytes.length && head.size() < HEAD_LINES; at = end + 1) {
                end = at;
                while (end < bytes.length && bytes[end] != '\n') {
                    end++;
                }
                JsonObject line = NativeJson.read(bytes, at, end - at);
                if (line == null) {
                    break;
                }
                head.add(line);
            }
        }
        return head;
    }
}
