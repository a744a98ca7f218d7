package brig.loadtests.engine;

import brig.loadtests.suite.Scenario;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Converts a scenario to arguments of {@code brig-load}. */
public final class Arguments {
    private Arguments() {}

    /** All except the server's address and protocol. */
    public static List<String> of(Scenario scenario, int warmupMs) {
        Map<String, Integer> options = new LinkedHashMap<>();
        options.put("--streams", scenario.streams());
        options.put("--readers", scenario.readers());
        options.put("--content-bytes", scenario.contentBytes());
        options.put("--warmup-ms", warmupMs);
        options.put("--duration-ms", scenario.durationMs());
        putWanted(options, "--window", scenario.window());
        putWanted(options, "--rate", scenario.rateHz());
        putWanted(options, "--stall", scenario.stall());
        putWanted(options, "--flood", scenario.flood());
        putWanted(options, "--idle", scenario.idleFrames());
        putWanted(options, "--storm", scenario.stormMs());
        List<String> arguments = new ArrayList<>();
        options.forEach((name, value) -> arguments.addAll(List.of(name, String.valueOf(value))));
        return arguments;
    }

    private static void putWanted(Map<String, Integer> options, String name, int value) {
        if (value > 0) {
            options.put(name, value);
        }
    }
}
