package brig.workeragent.adapter.claude;

import brig.workeragent.adapter.NativeLines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The transcripts that Claude Code writes of its sub-agents while they work:
 * {@code projects/<folder>/<session>/subagents/agent-<id>.jsonl}, of earlier versions {@code projects/<folder>/agent-<id>.jsonl}.
 * They have what standard output does not, as the text of sub-agents in the foreground. Owned by one thread at a time.
 */
final class ClaudeTranscripts {
    private static final int FILES_MAX = 1000;
    private static final int READ_BYTES = 1024 * 1024;

    private final Path projects;
    private final Map<Path, Long> readUpTo = new LinkedHashMap<>();
    /** The folder of the project; null until the session has written something there. */
    private @Nullable Path folder;

    ClaudeTranscripts(Path projects) {
        this.projects = projects;
    }

    /** Takes a whole line of a transcript. @return false where it is to come again, and those behind it */
    @FunctionalInterface
    interface Taker {
        boolean take(byte[] line) throws InterruptedException;
    }

    /** Hands over what was written since the last time. A file that cannot be read is as if it were not there. */
    void read(String session, Taker taker) throws InterruptedException {
        for (Path file : files(session)) {
            try {
                read(file, taker);
            } catch (IOException gone) {
                readUpTo.put(file, Long.MAX_VALUE);
            }
        }
    }

    private List<Path> files(String session) {
        List<Path> files = new ArrayList<>();
        try {
            if (folder == null) {
                folder = folderOf(session);
            }
            if (folder != null) {
                addTranscripts(folder, files);
                addTranscripts(folder.resolve(session).resolve("subagents"), files);
            }
        } catch (IOException | DirectoryIteratorException noneYet) {
            return files;
        }
        return files;
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

    private void read(Path file, Taker taker) throws IOException, InterruptedException {
        long at = readUpTo.getOrDefault(file, 0L);
        if (Files.size(file) <= at) {
            return;
        }
        byte[] bytes = piece(file, at);
        int start = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                if (!taker.take(Arrays.copyOfRange(bytes, start, i))) {
                    break;
                }
                start = i + 1;
            }
        }
        readUpTo.put(file, at + start);
    }

    /** A piece with at least one whole line, if there is one; a line that no agent writes ends the file. */
    private static byte[] piece(Path file, long at) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            for (int wanted = READ_BYTES; ; wanted *= 2) {
                ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(wanted, channel.size() - at));
                while (buffer.hasRemaining() && channel.read(buffer, at + buffer.position()) > 0) {
                    // read on
                }
                byte[] bytes = Arrays.copyOf(buffer.array(), buffer.position());
                if (hasNewline(bytes) || bytes.length < wanted) {
                    return bytes;
                }
                if (wanted > NativeLines.LINE_BYTES_MAX) {
                    throw new IOException("a line of more than " + NativeLines.LINE_BYTES_MAX + " bytes");
                }
            }
        }
    }

    private static boolean hasNewline(byte[] bytes) {
        for (byte b : bytes) {
            if (b == '\n') {
                return true;
            }
        }
        return false;
    }
}
