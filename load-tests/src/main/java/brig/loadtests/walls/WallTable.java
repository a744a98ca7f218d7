package brig.loadtests.walls;

import brig.protocol.json.JsonObject;
import brig.protocol.spawn.WallKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The figures of all walls beside each other, with their ratio to those of bubblewrap. */
record WallTable(List<WallFigures> walls) {
    private static final int MEDIAN = 50;
    private static final int P95 = 95;
    private static final String NOTHING = "-";

    /** For people. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(row("", wall -> wall.kind().word()));
        lines.add(row("posture, of it hold", WallTable::posture));
        for (Measure measure : Measure.values()) {
            if (walls.stream().anyMatch(wall -> wall.taken(measure) != null)) {
                boolean start = measure == Measure.START;
                lines.add(row(measure.title() + (start ? " p50" : ""), wall -> cell(wall, measure, MEDIAN)));
                if (start) {
                    lines.add(row(measure.title() + " p95", wall -> cell(wall, measure, P95)));
                }
            }
        }
        for (WallFigures wall : walls) {
            if (wall.missing() != null) {
                lines.add(wall.kind().word() + " is missing: " + wall.missing());
            }
            for (Measure measure : Measure.values()) {
                if (wall.taken(measure) instanceof Taken.Failed failed) {
                    lines.add(wall.kind().word() + ", " + measure.title() + ": " + failed.why());
                }
            }
        }
        return lines;
    }

    private String row(String title, Function<WallFigures, String> cell) {
        return "%-22s".formatted(title)
                + walls.stream().map(wall -> "%20s".formatted(cell.apply(wall))).collect(Collectors.joining());
    }

    private static String posture(WallFigures wall) {
        JsonObject posture = wall.posture();
        if (posture == null) {
            return NOTHING;
        }
        List<JsonObject> all = posture.objects("properties");
        return all.stream().filter(one -> one.text("status", "").equals("OK")).count() + " of " + all.size();
    }

    private String cell(WallFigures wall, Measure measure, int percent) {
        Taken taken = wall.taken(measure);
        return switch (taken) {
            case null -> NOTHING;
            case Taken.Failed _ -> NOTHING;
            case Taken.Longer longer -> "> " + longer.seconds() + " s";
            case Taken.Values values -> {
                Double ratio = ratio(wall, measure, percent);
                yield text(values.percentile(percent)) + (ratio == null ? "" : " (" + text(ratio) + "x)");
            }
        };
    }

    /** How many times that of bubblewrap it is; null without both, and of bubblewrap itself. */
    @Nullable
    Double ratio(WallFigures wall, Measure measure, int percent) {
        Taken base = walls.stream()
                .filter(one -> one.kind() == WallKind.BWRAP)
                .findFirst()
                .map(one -> one.taken(measure))
                .orElse(null);
        return wall.kind() != WallKind.BWRAP
                        && wall.taken(measure) instanceof Taken.Values mine
                        && base instanceof Taken.Values other
                        && other.percentile(percent) > 0
                ? mine.percentile(percent) / other.percentile(percent)
                : null;
    }

    /** Three digits, and all of those before the point. */
    private static String text(double value) {
        int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }

    /** By the word of the wall. */
    JsonObject json() {
        JsonObject.Builder all = JsonObject.builder();
        for (WallFigures wall : walls) {
            JsonObject.Builder one =
                    JsonObject.builder().put("missing", wall.missing()).put("posture", wall.posture());
            for (Measure measure : Measure.values()) {
                one.put(measure.key(), figure(wall, measure));
            }
            all.put(wall.kind().word(), one.build());
        }
        return all.build();
    }

    private @Nullable JsonObject figure(WallFigures wall, Measure measure) {
        Taken taken = wall.taken(measure);
        return switch (taken) {
            case null -> null;
            case Taken.Failed failed ->
                JsonObject.builder().put("failed", failed.why()).build();
            case Taken.Longer longer ->
                JsonObject.builder().put("longer_than_s", longer.seconds()).build();
            case Taken.Values values ->
                JsonObject.builder()
                        .put("p50", values.percentile(MEDIAN))
                        .put("p95", values.percentile(P95))
                        .put("times_bwrap", ratio(wall, measure, MEDIAN))
                        .put("values", values.sorted())
                        .build();
        };
    }

    /** Whether every wall that is here holds what it declares, and every run worked. */
    boolean isWell() {
        return walls.stream()
                .allMatch(wall -> (wall.posture() == null
                                || wall.posture().objects("properties").stream()
                                        .allMatch(one -> one.text("status", "").equals("OK")))
                        && Arrays.stream(Measure.values())
                                .noneMatch(measure -> wall.taken(measure) instanceof Taken.Failed));
    }
}
