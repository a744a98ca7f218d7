package brig.formats.claude;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The transcripts that Claude Code writes for its sub-agents while they run: {@code
 * projects/<folder>/<session>/subagents/agent-<id>.jsonl}, in earlier versions {@code
 * projects/<folder>/agent-<id>.jsonl}. They contain what standard output lacks, such as the text of foreground
 * sub-agents. Owned by one thread at a time.
 */
final class ClaudeTranscripts {
    private static final int FILES_MAX = 1000;

    private final Path projects;
    private final Map<Path, GrowingFile> files = new LinkedHashMap<>();
    /** The project's folder; null until the session has written there. */
    private @Nullable Path folder;

    ClaudeTranscripts(Path projects) {
        this.projects = projects;
    }

    /** The transcripts beside and below the session's own transcript. */
    static ClaudeTranscripts beside(Path own) {
        ClaudeTranscripts transcripts = new ClaudeTranscripts(own);
        transcripts.folder = own.toAbsolutePath().getParent();
        return transcripts;
    }

    /** Takes a complete line of a transcript. @return false to get it and the following lines again later */
    @FunctionalInterface
    interface Taker {
        boolean take(byte[] line) throws InterruptedException;
    }

    /** Passes on what was written since the last call. Unreadable files are skipped. */
    void read(String session, Taker taker) throws InterruptedException {
        for (GrowingFile file : files(session)) {
            try {
                for (byte[] line = file.line(); line != null && taker.take(line); line = file.line()) {
                    file.next();
                }
            } catch (IOException gone) {
                file.giveUp();
            }
        }
    }

    /** All existing transcripts, in no order. */
    List<GrowingFile> files(String session) {
        List<Path> found = new ArrayList<>();
        try {
            if (folder == null) {
                folder = folderOf(session);
            }
            if (folder != null) {
                addTranscripts(folder, found);
                addTranscripts(folder.resolve(session).resolve("subagents"), found);
            }
        } catch (IOException | DirectoryIteratorException noneYet) {
            // The files found so far are read.
        }
        return found.stream()
                .map(file -> files.computeIfAbsent(file, GrowingFile::new))
                .toList();
    }

    private @Nullable Path folderOf(String session) throws IOException {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(projects, Files::isDirectory)) {
            for (Path candidate : folders) {
                if (Files.exists(candidate.resolve(session + ".jsonl")) || Files.exists(candidate.resolve(session))) {
                    return candidate;
                }
            }
        }
        return null;
    }

    private static void addTranscripts(Path folder, List<Path> files) throws IOException {
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "agent-*.jsonl")) {
                for (Path file : found) {
                    if (files.size() < FILES_MAX) {
                        files.add(file);
                    }
                }
            }
        }
    }
}
