package brig.loadtests.conformance;

import brig.loadtests.client.Workload;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.frame.Frame;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A spawn of a mini server: its agent, which understands {@link Workload#message()}, and its numbered frames. */
final class MiniSession {
    private static final Pattern MESSAGE = Pattern.compile("for b in \\$\\(seq 0 (\\d+)\\); do seq -f %0(\\d+)\\.0f "
            + "\\$\\(\\(b\\*(\\d+)\\+(\\d+)\\)\\) .*; sleep ([0-9.]+); done");
    static final int WINDOW_BYTES = 20_000;
    /** More than any check leaves behind, for one who has gone is noticed late here. */
    static final int READERS_MAX = 240;

    static final int LOG_BYTES = 100_000;
    private static final long THROTTLED_MS = 100;
    private static final int PIECE_BYTES = 4_000;
    /** So many times shorter than asked for are its pauses, or the tests would take as long. */
    private static final int HURRY = 3;

    final String id;
    final Defect defect;
    final String socket;
    String captainToken = Ids.newToken();
    String watcherToken = Ids.newToken();

    // Guarded by this.
    String epoch = "aaaa0001";
    boolean ended;
    boolean throttled;
    boolean lost;
    long firstSeq = 1;
    private int views;
    private final Set<Object> readers = new HashSet<>();
    /** Where the server itself thinks that a client is. */
    long rememberedSeq = 1;

    private final List<byte[]> frames = new ArrayList<>();
    private long bytes;
    private final Map<Object, Long> tethered = new HashMap<>();
    private boolean cancelled;
    private boolean terminating;
    private final LinkedBlockingQueue<String> messages = new LinkedBlockingQueue<>();

    MiniSession(String id, String socket, Defect defect) {
        this.id = id;
        this.socket = socket;
        this.defect = defect;
        append(new Frame.State(Frame.State.RUNNING, null));
    }

    /** Begins to work off messages. */
    void start(boolean once) {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                boolean more = true;
                while (more) {
                    String message = messages.take();
                    if (!message.isEmpty()) {
                        work(message);
                    }
                    more = !once && !isTerminating();
                }
                end(isTerminating() ? "requested" : "completed");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private synchronized boolean isTerminating() {
        return terminating;
    }

    void input(String message) {
        messages.add(message);
    }

    synchronized void cancel() {
        cancelled = true;
        notifyAll();
    }

    void terminate() {
        synchronized (this) {
            if (defect == Defect.IGNORES_TERMINATE) {
                return;
            }
            terminating = true;
            cancelled = true;
            notifyAll();
        }
        messages.add("");
    }

    private void work(String message) throws InterruptedException {
        Matcher work = MESSAGE.matcher(message);
        if (!work.matches()) {
            throw new IllegalArgumentException(message);
        }
        int lines = Integer.parseInt(work.group(3));
        int first = Integer.parseInt(work.group(4));
        int width = Integer.parseInt(work.group(2));
        long pauseMs = (long) (Double.parseDouble(work.group(5)) * 1000 / HURRY);
        for (int burst = 0; burst <= Integer.parseInt(work.group(1)) && !isCancelled(); burst++) {
            say(new Workload(first + burst * lines, 1, lines, width, "0").output());
            pause(pauseMs);
        }
        boolean wasCancelled = isCancelled();
        synchronized (this) {
            cancelled = terminating;
        }
        if (defect == Defect.FORGETS_DONE || (wasCancelled && defect == Defect.CANCEL_WITHOUT_DONE)) {
            return;
        }
        Frame.Done done =
                wasCancelled ? new Frame.Done(143, null, "cancelled", null) : new Frame.Done(0, null, null, null);
        append(done);
        if (defect == Defect.SENDS_DONE_TWICE) {
            append(done);
        }
    }

    private synchronized void pause(long ms) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
        for (long rest = ms;
                rest > 0 && !cancelled;
                rest = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())) {
            wait(rest);
        }
    }

    private synchronized boolean isCancelled() {
        return cancelled;
    }

    private void say(String output) throws InterruptedException {
        int piece = defect == Defect.FRAMES_OF_ANY_LENGTH ? output.length() : PIECE_BYTES;
        for (int at = 0; at < output.length() && !isCancelled(); at += piece) {
            String content = output.substring(at, Math.min(at + piece, output.length()));
            hold();
            String written = defect == Defect.GARBLES_CONTENT ? content.replace('7', '8') : content;
            append(new Frame.Chunk(null, null, Frame.Chunk.Channel.STDOUT, written));
        }
    }

    /** Waits while a tethered reader is a window behind. */
    private synchronized void hold() throws InterruptedException {
        long since = System.nanoTime();
        while (!terminating && tethered.values().stream().anyMatch(seq -> bytesFrom(seq) > WINDOW_BYTES)) {
            wait(THROTTLED_MS);
            if (lasts(since) && defect != Defect.NEVER_SAYS_THROTTLED && defect != Defect.SAYS_THROTTLED_AFTERWARDS) {
                becomeThrottled(true);
            }
        }
        if (defect == Defect.SAYS_THROTTLED_AFTERWARDS && lasts(since)) {
            becomeThrottled(true);
        } else if (defect != Defect.STAYS_THROTTLED) {
            becomeThrottled(false);
        }
    }

    private static boolean lasts(long sinceNanos) {
        return System.nanoTime() - sinceNanos > THROTTLED_MS * 1_000_000;
    }

    private synchronized void becomeThrottled(boolean next) {
        if (throttled != next) {
            throttled = next;
            notifyAll();
        }
    }

    private long bytesFrom(long seq) {
        return frames.subList((int) (seq - 1), frames.size()).stream()
                .mapToLong(frame -> frame.length)
                .sum();
    }

    synchronized long append(Frame frame) {
        byte[] line = Json.write(new NumberedFrame(frames.size() + 1L, 1_767_225_600_000L, frame));
        frames.add(line);
        bytes += line.length;
        int bound = defect == Defect.KEEPS_ONLY_THE_WINDOW ? WINDOW_BYTES : LOG_BYTES;
        while (bytes > bound) {
            bytes -= frames.get((int) (firstSeq - 1)).length;
            firstSeq++;
        }
        notifyAll();
        return frames.size();
    }

    private synchronized void end(String reason) {
        if (defect != Defect.FORGETS_TERMINATED) {
            append(new Frame.State(Frame.State.TERMINATED, reason));
        }
        ended = true;
        notifyAll();
    }

    /** All that is on disk is gone; what is in memory is not. */
    synchronized void loseRecord() {
        lost = true;
        while (bytesFrom(firstSeq) > WINDOW_BYTES) {
            bytes -= frames.get((int) (firstSeq - 1)).length;
            firstSeq++;
        }
    }

    /** The gateway comes back: what a bad one has forgotten. */
    synchronized void handleRestart() {
        switch (defect) {
            case NEW_EPOCH_AFTER_RESTART -> epoch = "aaaa0002";
            case NUMBERS_AGAIN_AFTER_RESTART -> frames.removeLast();
            case NEW_TOKENS_AFTER_RESTART -> watcherToken = Ids.newToken();
            case LOSES_RECORDS_AT_RESTART -> firstSeq = frames.size();
            default -> {}
        }
    }

    /** A frame, or where the oldest one is; an empty one where there is only other news; null for the end. */
    synchronized byte[] await(long seq, BooleanSupplier news) throws InterruptedException {
        while (seq > frames.size() && !ended && !news.getAsBoolean()) {
            wait();
        }
        return seq > frames.size() && !ended ? new byte[0] : seq > frames.size() ? null : frames.get((int) (seq - 1));
    }

    /** There may be other news than frames. */
    synchronized void wake() {
        notifyAll();
    }

    synchronized long lastSeq() {
        return frames.size();
    }

    synchronized void join(Object reader, long seq, boolean holds) {
        if (readers.size() >= READERS_MAX && defect != Defect.LETS_IN_ANY_NUMBER) {
            throw new BrigException(ErrorCode.MAX_SUBSCRIPTIONS, "too many readers");
        }
        readers.add(reader);
        if (holds) {
            tethered.put(reader, Math.min(seq, frames.size() + 1L));
        }
    }

    synchronized void move(Object reader, long seq) {
        tethered.computeIfPresent(reader, (same, before) -> seq);
        rememberedSeq = Math.max(rememberedSeq, seq);
        notifyAll();
    }

    synchronized void leave(Object reader) {
        if (defect == Defect.COUNTS_THE_GONE) {
            return;
        }
        readers.remove(reader);
        tethered.remove(reader);
        notifyAll();
    }

    /** What the checks read of a spawn. */
    private record View(
            String spawnId,
            String taskId,
            String agent,
            String state,
            String epoch,
            long firstSeq,
            long lastSeq,
            int readers) {}

    synchronized byte[] view() {
        long oldest = defect == Defect.OLDEST_FRAME_GOES_BACK && ended ? Math.max(firstSeq - views++, 1) : firstSeq;
        return Json.write(new View(id, id, "shell", state(), epoch, oldest, frames.size(), readers.size()));
    }

    private String state() {
        return ended ? Frame.State.TERMINATED : Frame.State.RUNNING;
    }

    String welcome(boolean captain, long from) {
        JsonObject line = JsonObject.of(
                new ConnectionLine.Authenticated(id, id, captain ? "captain" : "watcher", epoch, from, state()));
        return MiniServer.text(defect == Defect.WELCOME_WITHOUT_ROLE ? line.with("role", null) : line);
    }
}
