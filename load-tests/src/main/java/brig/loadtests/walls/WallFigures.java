package brig.loadtests.walls;

import brig.protocol.json.JsonObject;
import brig.protocol.spawn.WallKind;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What was found of one wall. */
final class WallFigures {
    private final WallKind kind;
    private final Map<Measure, Taken> taken = new EnumMap<>(Measure.class);
    private @Nullable JsonObject posture;
    private @Nullable String missing;

    WallFigures(WallKind kind) {
        this.kind = kind;
    }

    WallKind kind() {
        return kind;
    }

    /** @param why the host has no such wall, with the mend */
    void isMissing(String why) {
        missing = why;
    }

    @Nullable
    String missing() {
        return missing;
    }

    void measuredFromInside(JsonObject found) {
        posture = found;
    }

    @Nullable
    JsonObject posture() {
        return posture;
    }

    void add(Measure measure, double value) {
        Taken.Values before = taken.get(measure) instanceof Taken.Values values ? values : Taken.Values.NONE;
        taken.put(measure, before.with(value));
    }

    void end(Measure measure, Taken instead) {
        taken.put(measure, instead);
    }

    /** Null before its first run. */
    @Nullable
    Taken taken(Measure measure) {
        return taken.get(measure);
    }

    /** Whether another run of that measure would tell more. */
    boolean goesOn(Measure measure) {
        Taken so = taken.get(measure);
        return missing == null && (so == null || so instanceof Taken.Values);
    }
}
