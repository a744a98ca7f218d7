package brig.workeragent.egress;

import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The section {@code worker.egress} of {@code config/brig.json}, whose comments say what each key means.
 *
 * @param uid whom brig-egress runs as where Brig runs as root
 * @param hosts addresses by name, each a string or a list of strings
 */
public record EgressConfig(
        int uid,
        JsonObject hosts,
        List<String> extraRoots,
        long auditFileBytesMax,
        int auditFilesMax,
        long auditKeepMs) {
    private static final long MIB = 1024 * 1024;
    private static final long DAY_MS = 86_400_000;

    public EgressConfig {
        requireRange("egress.uid", uid, 1, Integer.MAX_VALUE - 1);
        requireRange("egress.auditFileBytesMax", auditFileBytesMax, 4096, 1024 * MIB);
        requireRange("egress.auditFilesMax", auditFilesMax, 1, 10_000);
        requireRange("egress.auditKeepMs", auditKeepMs, 0, 3650 * DAY_MS);
    }

    /** {@link #hosts}, each with a list. */
    Map<String, List<String>> addresses() {
        Map<String, List<String>> addresses = new TreeMap<>();
        for (String name : hosts.names()) {
            Object value = hosts.value(name);
            List<?> all = value instanceof List<?> list ? list : List.of(String.valueOf(value));
            addresses.put(name, all.stream().map(String::valueOf).toList());
        }
        return addresses;
    }

    private static void requireRange(String key, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(key + ": must be from " + min + " to " + max + ", not " + value);
        }
    }
}
