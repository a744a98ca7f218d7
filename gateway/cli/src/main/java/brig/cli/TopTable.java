package brig.cli;

import brig.protocol.json.Fields;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that live, with what can only be told from two looks at them: how many frames a second each has. The
 * busiest come first, then the youngest.
 */
final class TopTable {
    static final List<String> HEAD =
            List.of("TASK", "AGENT", "STATE", "AGE", "FRAMES", "FRAMES/S", "READERS", "TOKENS IN", "OUT");
    private static final int NAME_CHARS_MAX = 30;

    private final Map<String, Look> before = new HashMap<>();

    /** How far a stream was at a moment. */
    private record Look(String epoch, long seq, long nowMs) {}

    /** A session that lives. */
    record Row(Fields view, double framesPerSecond, long inputTokens, long outputTokens) {
        Row withTokens(Fields tree) {
            long input = 0;
            long output = 0;
            List<Fields> agents = new ArrayList<>(tree.objects("agents"));
            agents.add(tree.object("main"));
            for (Fields agent : agents) {
                input += agent.number("input_tokens", 0, Long.MAX_VALUE, 0);
                output += agent.number("output_tokens", 0, Long.MAX_VALUE, 0);
            }
            return new Row(view, framesPerSecond, input, output);
        }

        long lastSeq() {
            return view.number("last_seq", 0, Long.MAX_VALUE, 0);
        }

        String spawnId() {
            return view.text("spawn_id", "");
        }

        Map<String, Object> toMap() {
            Map<String, Object> map = new LinkedHashMap<>();
            for (String name :
                    List.of("spawn_id", "task_id", "agent", "state", "activity", "created_ms", "last_seq", "readers")) {
                map.put(name, view.asMap().getOrDefault(name, ""));
            }
            map.put("throttled", view.flag("throttled"));
            map.put("frames_per_second", Math.rint(framesPerSecond * 10) / 10);
            map.put("input_tokens", inputTokens);
            map.put("output_tokens", outputTokens);
            return map;
        }

        List<String> cells(long nowMs) {
            return List.of(
                    TreeDrawing.cut(view.text("task_id", ""), NAME_CHARS_MAX),
                    TreeDrawing.cut(view.text("agent", ""), NAME_CHARS_MAX),
                    view.text("activity", "") + (view.flag("throttled") ? ", throttled" : ""),
                    TreeDrawing.duration(nowMs - view.number("created_ms", 0, Long.MAX_VALUE, nowMs)),
                    String.valueOf(lastSeq()),
                    String.format(Locale.ROOT, "%.1f", framesPerSecond),
                    String.valueOf(view.number("readers", 0, Long.MAX_VALUE, 0)),
                    TreeDrawing.tokens(inputTokens),
                    TreeDrawing.tokens(outputTokens));
        }
    }

    /**
     * Looks at the sessions again.
     *
     * @param views of all spawns
     */
    List<Row> look(List<Fields> views, long nowMs) {
        Map<String, Look> now = new HashMap<>();
        List<Row> rows = new ArrayList<>();
        for (Fields view : views) {
            if (view.has("ended_ms")) {
                continue;
            }
            String id = view.text("spawn_id", "");
            Look look = new Look(view.text("epoch", ""), view.number("last_seq", 0, Long.MAX_VALUE, 0), nowMs);
            rows.add(new Row(view, rate(before.get(id), look), 0, 0));
            now.put(id, look);
        }
        before.clear();
        before.putAll(now);
        rows.sort(Comparator.comparingDouble(Row::framesPerSecond).reversed());
        return rows;
    }

    /** A stream that began anew counts from its beginning at the next look. */
    private static double rate(@Nullable Look last, Look look) {
        if (last == null || !last.epoch.equals(look.epoch) || look.nowMs <= last.nowMs) {
            return 0;
        }
        return Math.max(0, look.seq - last.seq) * 1000.0 / (look.nowMs - last.nowMs);
    }
}
