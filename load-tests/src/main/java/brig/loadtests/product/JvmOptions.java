package brig.loadtests.product;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Options of the product's JVMs. They follow those that the environment already names, so that both hold. */
public record JvmOptions(List<String> gateway, List<String> workerAgent) {
    public static final JvmOptions NONE = new JvmOptions(List.of(), List.of());

    /**
     * Makes full collections complete. The serial collector may otherwise leave a twentieth of the heap three times of
     * four, 18 MiB here, which looks like growth.
     */
    public static final String WHOLE_COLLECTIONS = "-XX:MarkSweepDeadRatio=0";

    /** With one more for the gateway. */
    public JvmOptions gateway(String option) {
        return and(new JvmOptions(List.of(option), List.of()));
    }

    public JvmOptions and(JvmOptions more) {
        return new JvmOptions(joined(gateway, more.gateway), joined(workerAgent, more.workerAgent));
    }

    private static List<String> joined(List<String> first, List<String> second) {
        List<String> all = new ArrayList<>(first);
        all.addAll(second);
        return List.copyOf(all);
    }

    /** The variables that bring them to the product, beside the others of this environment. */
    Map<String, String> environment(Map<String, String> present) {
        Map<String, String> variables = new LinkedHashMap<>();
        put(variables, "BRIG_JAVA_OPTS", present, gateway);
        put(variables, "BRIG_WORKER_AGENT_JAVA_OPTS", present, workerAgent);
        return variables;
    }

    private static void put(
            Map<String, String> variables, String name, Map<String, String> present, List<String> options) {
        if (!options.isEmpty()) {
            variables.put(name, (present.getOrDefault(name, "") + " " + String.join(" ", options)).strip());
        }
    }
}
