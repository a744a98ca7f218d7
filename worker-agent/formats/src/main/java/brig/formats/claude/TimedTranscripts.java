package brig.formats.claude;

import brig.formats.adapter.NativeJson;
import brig.formats.claude.ClaudeMessage.ToolUseResult;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Foreign;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The transcripts of a session and its sub-agents, merged line by line in order of time. Owned by one thread.
 *
 * <p>Decision 0135.
 */
final class TimedTranscripts {
    private static final long META_BYTES_MAX = 64 * 1024;

    private final Transcript own;
    private final Others others;
    private final Predicate<String> knows;
    /** The session's own transcript is first; lines with equal times follow the order of this map. */
    private final Map<Path, Transcript> open = new LinkedHashMap<>();
    /** Transcripts of sub-agents by the tool call that started them. */
    private final Map<String, Transcript> started = new LinkedHashMap<>();

    private String session = "";

    /** The metadata file beside a sub-agent's transcript. */
    @Foreign
    @CamelCase
    record Meta(
            @Nullable String toolUseId,
            @Nullable String agentType,
            @Nullable String requestShape) {
        static final Meta NONE = new Meta(null, null, null);
    }

    /**
     * A line of a transcript.
     *
     * @param isOwn whether it is from the session's own transcript
     * @param meta the sub-agent's metadata
     * @param time the time of the line, or of the last line before it that has one; else empty
     * @param dropped the number of overlong lines before it
     */
    record Entry(TranscriptLine line, boolean isOwn, Meta meta, String time, int dropped) {}

    /** Files of this host. */
    private record FilesBeside(ClaudeTranscripts transcripts) implements Others {
        @Override
        public List<? extends TranscriptFile> files(String session) {
            return transcripts.files(session);
        }

        @Override
        public Meta metaOf(TranscriptFile found) {
            Path beside = found.path()
                    .resolveSibling(String.valueOf(found.path().getFileName()).replace(".jsonl", ".meta.json"));
            try {
                return Files.isRegularFile(beside) && Files.size(beside) <= META_BYTES_MAX
                        ? NativeJson.readLine(Files.readAllBytes(beside)).as(Meta.class)
                        : Meta.NONE;
            } catch (IOException unreadable) {
                // Without the metadata, the result of the call names the sub-agent.
                return Meta.NONE;
            }
        }
    }

    /** A file, its author, and its next line. */
    private static final class Transcript {
        private final TranscriptFile file;
        private final Meta meta;
        private @Nullable TranscriptLine line;
        private String time = "";

        Transcript(TranscriptFile file, Meta meta) {
            this.file = file;
            this.meta = meta;
        }

        boolean hasLine() throws IOException {
            byte[] bytes = line == null ? file.line() : null;
            if (bytes != null) {
                line = NativeJson.readLine(bytes).as(TranscriptLine.class);
                time = line.timestamp() == null ? time : line.timestamp();
            }
            return line != null;
        }

        TranscriptLine take() {
            TranscriptLine taken = Objects.requireNonNull(line);
            line = null;
            file.next();
            return taken;
        }
    }

    /** The transcripts of sub-agents. */
    interface Others {
        /** Those that exist, in no order. */
        List<? extends TranscriptFile> files(String session);

        /** The metadata of one. */
        Meta metaOf(TranscriptFile file);
    }

    /**
     * @param file the session's own transcript
     * @param knows whether that sub-agent was reported
     */
    TimedTranscripts(Path file, Predicate<String> knows) {
        this(new GrowingFile(file), new FilesBeside(ClaudeTranscripts.beside(file)), knows);
    }

    TimedTranscripts(TranscriptFile own, Others others, Predicate<String> knows) {
        this.own = new Transcript(own, Meta.NONE);
        this.others = others;
        this.knows = knows;
        open.put(own.path(), this.own);
    }

    /** The session's id; empty until a line names it. */
    String session() {
        return session;
    }

    /** The result of a sub-agent's call; empty for other tools, and if no metadata file names the call. */
    Optional<ToolUseResult> result(ClaudeBlock.ToolResult answer) {
        return Optional.ofNullable(started.get(answer.toolUseId())).map(agent -> {
            String id = String.valueOf(agent.file.path().getFileName()).replaceAll("^agent-|\\.jsonl$", "");
            boolean launched = "background".equals(agent.meta.requestShape());
            String status = answer.isError() ? "failed" : launched ? "async_launched" : "completed";
            return new ToolUseResult(id, agent.meta.agentType(), status, null);
        });
    }

    /** Finds new transcripts of sub-agents. */
    void findSubAgents() {
        if (!session.isEmpty()) {
            for (TranscriptFile found : others.files(session)) {
                open.computeIfAbsent(found.path(), path -> transcriptOf(found));
            }
        }
    }

    private Transcript transcriptOf(TranscriptFile found) {
        Meta meta = others.metaOf(found);
        Transcript transcript = new Transcript(found, meta);
        if (meta.toolUseId() != null) {
            started.put(meta.toolUseId(), transcript);
        }
        return transcript;
    }

    /** Nothing more is written to the transcripts. */
    void finish() {
        open.values().forEach(transcript -> transcript.file.finish());
    }

    /**
     * Takes the oldest line of the session; null if there is none.
     *
     * @param atEnd whether sub-agents with an unknown parent no longer wait
     * @throws IOException if the session's own transcript cannot be read
     */
    @Nullable
    Entry next(boolean atEnd) throws IOException {
        for (Transcript from = earliest(atEnd); from != null; from = earliest(atEnd)) {
            TranscriptLine line = from.take();
            String of = line.sessionId();
            if (from == own && of != null && !of.equals(session)) {
                session = of;
                findSubAgents();
            }
            if (from == own || session.equals(of)) {
                return new Entry(line, from == own, from.meta, from.time, from.file.takeDropped());
            }
        }
        return null;
    }

    private @Nullable Transcript earliest(boolean atEnd) throws IOException {
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

    /** An unreadable transcript of a sub-agent counts as ended. */
    private boolean hasLine(Transcript transcript) throws IOException {
        try {
            return transcript.hasLine();
        } catch (IOException unreadable) {
            if (transcript == own) {
                throw unreadable;
            }
            transcript.file.giveUp();
            return false;
        }
    }

    /** Whether the parent of its author is known. */
    private boolean isPlaced(Transcript transcript) {
        TranscriptLine line = transcript.line;
        return transcript == own
                || transcript.meta.toolUseId() != null
                || (line != null && line.agentId() != null && knows.test(line.agentId()));
    }
}
