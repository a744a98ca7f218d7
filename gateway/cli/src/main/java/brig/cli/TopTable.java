package brig.cli;

import brig.protocol.SpawnState;
import brig.protocol.api.SpawnActivity;
import brig.protocol.api.SpawnView;
import brig.protocol.api.TreeView;
import brig.protocol.frame.TokenUsage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The live sessions with their frame rates, which need two samples. The busiest come first, then the youngest. */
final class TopTable {
    static final List<String> HEAD =
            List.of("TASK", "AGENT", "STATE", "AGE", "FRAMES", "FRAMES/S", "SUBSCRIBERS", "TOKENS IN", "OUT", "BUDGET");
    private static final int NAME_CHARS_MAX = 30;

    private final Map<String, Look> before = new HashMap<>();

    /** The position of a stream at a time. */
    private record Look(String epoch, long seq, long nowMs) {}

    /** A live session. */
    record Row(SpawnView view, double framesPerSecond, long inputTokens, long outputTokens) {
        Row withTokens(TreeView tree) {
            List<TokenUsage> used = Stream.concat(
                            tree.agents().stream().map(TreeView.SubAgent::usage),
                            Stream.of(tree.main()).map(TreeView.Main::usage))
                    .filter(Objects::nonNull)
                    .toList();
            return new Row(
                    view,
                    framesPerSecond,
                    used.stream().mapToLong(TokenUsage::inputTokens).sum(),
                    used.stream().mapToLong(TokenUsage::outputTokens).sum());
        }

        Shown shown() {
            return new Shown(
                    view.spawnId(),
                    view.taskId(),
                    view.agent(),
                    view.host(),
                    view.state(),
                    view.activity(),
                    view.createdMs(),
                    view.lastSeq(),
                    view.readers(),
                    view.throttled(),
                    Math.rint(framesPerSecond * 10) / 10,
                    inputTokens,
                    outputTokens);
        }

        List<String> cells(long nowMs) {
            return List.of(
                    TreeDrawing.cut(view.taskId(), NAME_CHARS_MAX),
                    TreeDrawing.cut(TreeDrawing.placed(view.agent(), view.host()), NAME_CHARS_MAX),
                    doing(view),
                    TreeDrawing.duration(nowMs - view.createdMs()),
                    String.valueOf(view.lastSeq()),
                    String.format(Locale.ROOT, "%.1f", framesPerSecond),
                    String.valueOf(view.readers()),
                    TreeDrawing.tokens(inputTokens),
                    TreeDrawing.tokens(outputTokens),
                    view.budget() == null ? "" : view.budget().percent() + " %");
        }
    }

    /** What the session does, in words. */
    static String doing(SpawnView view) {
        String percent = view.percent() == null ? "" : ", brings the repository: " + view.percent() + " %";
        return view.activity().wireName() + percent + (view.throttled() ? ", paused" : "");
    }

    /** A row as JSON. */
    record Shown(
            String spawnId,
            String taskId,
            String agent,
            @Nullable String host,
            SpawnState state,
            SpawnActivity activity,
            long createdMs,
            long lastSeq,
            int readers,
            boolean throttled,
            double framesPerSecond,
            long inputTokens,
            long outputTokens) {}

    /**
     * Takes the next sample.
     *
     * @param views of all spawns
     */
    List<Row> look(List<SpawnView> views, long nowMs) {
        Map<String, Look> now = new HashMap<>();
        List<Row> rows = new ArrayList<>();
        for (SpawnView view : views) {
            if (view.endedMs() > 0) {
                continue;
            }
            Look look = new Look(view.epoch(), view.lastSeq(), nowMs);
            rows.add(new Row(view, rate(before.get(view.spawnId()), look), 0, 0));
            now.put(view.spawnId(), look);
        }
        before.clear();
        before.putAll(now);
        rows.sort(Comparator.comparingDouble(Row::framesPerSecond).reversed());
        return rows;
    }

    /** A stream that began anew has no rate until the next sample. */
    private static double rate(@Nullable Look last, Look look) {
        if (last == null || !last.epoch.equals(look.epoch) || look.nowMs <= last.nowMs) {
            return 0;
        }
        return Math.max(0, look.seq - last.seq) * 1000.0 / (look.nowMs - last.nowMs);
    }
}
