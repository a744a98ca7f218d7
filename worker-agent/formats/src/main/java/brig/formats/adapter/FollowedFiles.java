package brig.formats.adapter;

import brig.formats.adapter.Adapter.OutputReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of an agent on a terminal that are followed inside its wall, as process 1 reports them. Format: {@code
 * init-follow.c}. What was reported is the agent's own word, as all its output.
 *
 * <p>Owned by the thread that reads the pipe. Decision 0195.
 */
final class FollowedFiles implements OutputReader, TranscriptReader.Files {
    /** Less than process 1 follows. */
    static final int FILES_MAX = 400;

    private static final int PATH_BYTES_MAX = 3900;
    private static final int HEAD_BYTES = 5;
    private static final Logger LOG = LoggerFactory.getLogger(FollowedFiles.class);

    private final AgentFrames frames;
    private final Predicate<byte[]> input;
    private final TranscriptReader reader;
    private final List<File> files = new ArrayList<>();
    private final Map<String, File> byPath = new HashMap<>();

    private final byte[] head = new byte[HEAD_BYTES];
    private int headLength;
    private int left;
    /** A report that makes no sense was read: process 1 is not behind it any more. */
    private boolean broken;

    private record File(String path, boolean whole, NativeLines lines) {}

    FollowedFiles(FrameSink sink, Predicate<byte[]> input, TranscriptReader.Factory transcripts) {
        this.frames = new AgentFrames(sink);
        this.input = input;
        this.reader = transcripts.open(frames, new AgentActivity(frames), this);
        follow(TranscriptReader.EVENTS, TranscriptReader.Mode.LINES);
    }

    @Override
    public void follow(String path, TranscriptReader.Mode mode) {
        byte[] name = path.getBytes(StandardCharsets.UTF_8);
        if (byPath.containsKey(path)
                || files.size() >= FILES_MAX
                || !path.startsWith("/")
                || path.indexOf('\0') >= 0
                || name.length > PATH_BYTES_MAX) {
            return;
        }
        if (!input.test(TerminalInput.follow(files.size(), mode == TranscriptReader.Mode.NEW_LINES, name))) {
            LOG.warn("a file of the agent is not followed: its terminal takes no input");
            return;
        }
        File file = new File(path, mode == TranscriptReader.Mode.WHOLE, new NativeLines(new NativeLines.Sink() {
            @Override
            public void handleLine(byte[] bytes, int offset, int length) throws InterruptedException {
                byte[] line = new byte[length];
                System.arraycopy(bytes, offset, line, 0, length);
                guarded(() -> reader.handleLine(path, line));
            }

            @Override
            public void handleLongLine(byte[] bytes, int length) throws InterruptedException {
                frames.error("LINE_TOO_LONG", "the agent wrote a line that is too long to be read");
            }
        }));
        files.add(file);
        byPath.put(path, file);
    }

    @Override
    public void read(byte[] bytes, int offset, int count, long nowMs) throws InterruptedException {
        frames.at(nowMs);
        int end = offset + count;
        for (int at = offset; at < end && !broken; ) {
            if (headLength < HEAD_BYTES) {
                head[headLength++] = bytes[at++];
                if (headLength == HEAD_BYTES) {
                    left = number(3);
                    begin();
                }
            } else {
                int some = Math.min(left, end - at);
                files.get(number(1)).lines().read(bytes, at, some);
                at += some;
                left -= some;
            }
            headLength = headLength == HEAD_BYTES && left == 0 ? 0 : headLength;
        }
    }

    private int number(int at) {
        return (head[at] & 0xff) << 8 | (head[at + 1] & 0xff);
    }

    private void begin() throws InterruptedException {
        boolean known = number(1) < files.size();
        switch (head[0]) {
            case 'd' -> broken = !known;
            case 'e' -> {
                broken = !known || left > 0;
                if (!broken) {
                    files.get(number(1)).lines().finish();
                }
            }
            case 'q' -> {
                broken = left > 0;
                for (File file : List.copyOf(files)) {
                    if (file.whole()) {
                        file.lines().finish();
                    }
                }
                guarded(reader::handleQuiet);
            }
            default -> broken = true;
        }
        if (broken) {
            LOG.warn("reports of an agent's files make no sense and are no longer read");
        }
    }

    @Override
    public void finish(long nowMs) throws InterruptedException {
        frames.at(nowMs);
        for (File file : List.copyOf(files)) {
            file.lines().finish();
        }
        guarded(reader::handleEnd);
    }

    private interface Reading {
        void run() throws InterruptedException;
    }

    /** One unexpected line must not stop the rest. */
    private static void guarded(Reading reading) throws InterruptedException {
        try {
            reading.run();
        } catch (RuntimeException e) {
            LOG.error("a transcript was not understood", e);
        }
    }
}
