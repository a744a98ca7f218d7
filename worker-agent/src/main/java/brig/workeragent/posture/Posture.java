package brig.workeragent.posture;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What one wall was found to enforce.
 *
 * @param limitsLevel how well resource limits hold: {@code cgroup2}, {@code cgroup1} or {@code rlimits}
 * @param notHeld     what is bounded by nothing here, a sentence each: who else suffers from a worker that hoards it
 * @param properties  in the order in which they were measured; what was not declared is not among them
 */
public record Posture(String limitsLevel, List<String> notHeld, List<Property> properties) {

    /**
     * One declared property of the wall.
     *
     * @param name   as in {@code posture.c}, in kebab case
     * @param holds  whether the measurement confirmed it
     * @param detail what was seen
     */
    public record Property(String name, boolean holds, String detail) {

        /** {@code OK} or {@code FAIL}. */
        public String status() {
            return holds ? "OK" : "FAIL";
        }
    }

    public Posture {
        notHeld = List.copyOf(notHeld);
        properties = List.copyOf(properties);
    }

    /** As it goes over the control socket and is kept with the spawn. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("limits", limitsLevel);
        map.put("not_held", notHeld);
        map.put("properties", properties.stream().map(Posture::toMap).toList());
        return map;
    }

    private static Map<String, Object> toMap(Property property) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", property.name());
        map.put("status", property.status());
        map.put("detail", property.detail());
        return map;
    }
}
