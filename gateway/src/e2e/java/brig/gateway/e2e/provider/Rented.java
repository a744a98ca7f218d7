package brig.gateway.e2e.provider;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** A sandbox as a provider has it in its books. Its wall is built when it is first used. */
final class Rented {
    private static final String QUIETLY = "exec \"$@\" </dev/null >/dev/null 2>&1";

    final String id;
    final String name;
    final long createdMs;
    final boolean isForeign;
    private final FakeSandbox.Image image;
    private final AtomicInteger touches = new AtomicInteger();
    private volatile List<String> tags;
    private volatile long endsMs = Long.MAX_VALUE;
    private volatile long endedMs = Long.MAX_VALUE;
    private volatile boolean isPaused;
    private List<String> entry = List.of();
    private Map<String, String> environment = Map.of();
    /** Built and ended under the lock of this object, which may take a while. */
    private volatile FakeSandbox wall;

    Rented(String id, String name, List<String> tags, long createdMs, boolean isForeign, FakeSandbox.Image image) {
        this.id = id;
        this.name = name;
        this.tags = List.copyOf(tags);
        this.createdMs = createdMs;
        this.isForeign = isForeign;
        this.image = image;
    }

    List<String> tags() {
        return tags;
    }

    void setTags(List<String> others) {
        tags = List.copyOf(others);
    }

    long endsMs() {
        return endsMs;
    }

    void setEnd(long ms) {
        endsMs = ms;
    }

    boolean isAliveAt(long ms) {
        return createdMs <= ms && ms < endedMs;
    }

    boolean hasEnded() {
        return endedMs != Long.MAX_VALUE;
    }

    boolean isPaused() {
        return isPaused;
    }

    boolean isUsed() {
        return wall != null;
    }

    /** What runs in it from its beginning. */
    synchronized void setEntry(List<String> command, Map<String, String> withEnvironment) {
        entry = command;
        environment = withEnvironment;
    }

    /** Something was done to it, not only looked at. */
    void touch() {
        touches.incrementAndGet();
    }

    int touches() {
        return touches.get();
    }

    /** Builds it at the first call. */
    synchronized FakeSandbox wall() throws IOException {
        if (hasEnded()) {
            throw new IOException("it has ended");
        }
        if (wall == null) {
            wall = FakeSandbox.start(image);
            enter();
        }
        return wall;
    }

    private void enter() throws IOException {
        if (!entry.isEmpty()) {
            List<String> command = new ArrayList<>(List.of("sh", "-c", QUIETLY, "sh"));
            command.addAll(entry);
            Map<String, String> all = new HashMap<>(wall.environment());
            all.putAll(environment);
            wall.exec(command, all, wall.home());
        }
    }

    synchronized void restore(Path copy) throws IOException {
        wall = wall().restoredFrom(copy);
    }

    /** Stops all of its processes, or lets them go on. @return whether that was a change */
    synchronized boolean pause(boolean paused) throws IOException {
        boolean changes = isPaused != paused;
        if (changes) {
            wall().signal(paused ? "STOP" : "CONT");
            isPaused = paused;
        }
        return changes;
    }

    /** @return whether it was alive */
    synchronized boolean end(long nowMs) throws IOException {
        if (hasEnded()) {
            return false;
        }
        endedMs = nowMs;
        if (wall != null) {
            wall.close();
        }
        return true;
    }

    List<String> keys() {
        List<String> keys = new ArrayList<>(tags());
        keys.add(name);
        return keys;
    }
}
