package brig.formats.adapter;

import brig.protocol.NewestMap;
import brig.protocol.frame.Frame.Tool.Progress;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Tool calls of an agent that repeats the whole call at each change: only changes are reported. Owned by the thread
 * that reads standard output.
 *
 * <p>Decision 0061.
 */
public final class ToolProgress {
    private static final int OPEN_MAX = 1000;

    private record Told(ToolCall call, String written) {}

    private final AgentFrames frames;
    private final Map<String, Told> open = new NewestMap<>(OPEN_MAX);

    public ToolProgress(AgentFrames frames) {
        this.frames = frames;
    }

    /**
     * Reports the changes of a call.
     *
     * @param now the current state, with the whole output if the call ended; a null field is unchanged
     * @param written the whole output so far; empty if unknown
     */
    public void update(ToolCall now, String written) throws InterruptedException {
        Told before = open.get(now.id());
        if (now.status() == Progress.COMPLETED || now.status() == Progress.FAILED) {
            if (before != null || now.name() != null) {
                open.remove(now.id());
                boolean known = before != null && !differs(before.call().input(), now.input());
                frames.tool(known ? now.withoutInput() : now);
            }
            return;
        }
        boolean changed = before == null
                || before.call().status() != now.status()
                || differs(before.call().title(), now.title())
                || differs(before.call().input(), now.input());
        if (changed) {
            frames.tool(now);
        }
        String had = before == null ? "" : before.written();
        if (written.length() > had.length()) {
            frames.toolWrites(
                    now.agent(), now.id(), written.startsWith(had) ? written.substring(had.length()) : written);
        }
        open.put(now.id(), new Told(now, written.isEmpty() ? had : written));
    }

    private static boolean differs(@Nullable Object before, @Nullable Object now) {
        return now != null && !Objects.equals(before, now);
    }
}
