package brig.formats.claude;

import brig.formats.adapter.NativeJson;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Foreign;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The transcript of a session and those of its sub-agents, line by line in the order of their times. Owned by one thread.
 *
 * <p>Decision 0135.
 */
final class TimedTranscripts {
    private static final long META_BYTES_MAX = 64 * 1024;

    private final Transcript own;
    private final ClaudeTranscripts others;
    private final Predicate<String> knows;
    /** The session's own transcript first; of two lines of one time the earlier transcript's comes first. */
    private final Map<Path, Transcript> open = new LinkedHashMap<>();
    /** Sub-agents by the tool call that started them. */
    private final Map<String, Transcript> started = new LinkedHashMap<>();

    /** What Claude Code says of a sub-agent in a file beside its transcript. */
    @Foreign
    @CamelCase
    record Meta(
            @Nullable String toolUseId,
            @Nullable String agentType,
            @Nullable String requestShape) {
        static final Meta NONE = new Meta(null, null, null);

        boolean isBackground() {
            return "background".equals(requestShape);
        }
    }

    /** A file, whose it is, and the line that is next in it. */
    static final class Transcript {
        private final GrowingFile file;
        private final Meta meta;
        private @Nullable TranscriptLine line;
        private String time = "";
        private int dropped;

        private Transcript(GrowingFile file, Meta meta) {
            this.file = file;
            this.meta = meta;
        }

        /** Of the session's own transcript, and where nothing is said, one without values. */
        Meta meta() {
            return meta;
        }

        /** The time of its last line; empty before there is one. */
        String time() {
            return time;
        }

        /** The sub-agent that its name says. */
        String agent() {
            return String.valueOf(file.path().getFileName()).replaceAll("^agent-|\\.jsonl$", "");
        }

        TranscriptLine take() {
            TranscriptLine taken = Objects.requireNonNull(line);
            line = null;
            file.next();
            return taken;
        }

        /** How many lines were too long since the last time. */
        int takeDropped() {
            int lines = dropped;
            dropped = 0;
            return lines;
        }

        private boolean hasLine() throws IOException {
            if (line == null) {
                byte[] bytes = file.line();
                dropped += file.takeDropped();
                if (bytes != null) {
                    line = NativeJson.readLine(bytes).as(TranscriptLine.class);
                    time = line.timestamp() == null ? time : line.timestamp();
                }
            }
            return line != null;
        }
    }

    /**
     * @param file the session's own transcript
     * @param knows whether that sub-agent was told of
     */
    TimedTranscripts(Path file, Predicate<String> knows) {
        this.own = new Transcript(new GrowingFile(file), Meta.NONE);
        this.others = ClaudeTranscripts.beside(file);
        this.knows = knows;
        open.put(file, own);
    }

    boolean isOwn(Transcript transcript) {
        return transcript == own;
    }

    /** The sub-agent that the tool call started, where a file says so. */
    @Nullable
    Transcript startedBy(String toolUse) {
        return started.get(toolUse);
    }

    /** Looks for transcripts that are new. */
    void findSubAgents(String session) {
        if (!session.isEmpty()) {
            for (GrowingFile found : others.files(session)) {
                open.computeIfAbsent(found.path(), path -> transcriptOf(found));
            }
        }
    }

    private Transcript transcriptOf(GrowingFile found) {
        Path beside = found.path()
                .resolveSibling(String.valueOf(found.path().getFileName()).replace(".jsonl", ".meta.json"));
        Meta meta = Meta.NONE;
        try {
            if (Files.isRegularFile(beside) && Files.size(beside) <= META_BYTES_MAX) {
                meta = NativeJson.readLine(Files.readAllBytes(beside)).as(Meta.class);
            }
        } catch (IOException unreadable) {
            // Then the sub-agent is known when its call is answered.
        }
        Transcript transcript = new Transcript(found, meta);
        if (meta.toolUseId() != null) {
            started.put(meta.toolUseId(), transcript);
        }
        return transcript;
    }

    /** Nothing more is written to them. */
    void finish() {
        open.values().forEach(transcript -> transcript.file.finish());
    }

    /**
     * The transcript whose next line is the oldest; null where there is no line.
     *
     * @param atEnd whether a sub-agent of which nobody knows who started it waits no longer
     * @throws IOException where the session's own transcript cannot be read
     */
    @Nullable
    Transcript earliest(boolean atEnd) throws IOException {
        Transcript earliest = null;
        for (Transcript transcript : open.values()) {
            if (hasLine(transcript)
                    && (atEnd || isPlaced(transcript))
                    && (earliest == null || transcript.time.compareTo(earliest.time) < 0)) {
                earliest = transcript;
            }
        }
        return earliest;
    }

    /** A sub-agent's transcript that cannot be read is as if it ended. */
    private boolean hasLine(Transcript transcript) throws IOException {
        try {
            return transcript.hasLine();
        } catch (IOException unreadable) {
            if (isOwn(transcript)) {
                throw unreadable;
            }
            transcript.file.giveUp();
            return false;
        }
    }

    /** Whether it is known who started whoever wrote it. */
    private boolean isPlaced(Transcript transcript) {
        TranscriptLine line = transcript.line;
        return isOwn(transcript)
                || transcript.meta.toolUseId() != null
                || (line != null && line.agentId() != null && knows.test(line.agentId()));
    }
}
