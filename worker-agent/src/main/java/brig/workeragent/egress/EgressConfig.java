package brig.workeragent.egress;

import brig.protocol.json.JsonObject;
import brig.protocol.record.Range;
import brig.protocol.record.Settings;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The section {@code worker.egress} of {@code config/brig.json}, where comments document each key.
 *
 * @param uid the user that brig-egress runs as if Brig runs as root
 * @param hosts addresses by name, each a string or a list of strings
 */
@Settings
public record EgressConfig(
        @Range(min = 1, max = Integer.MAX_VALUE - 1) int uid,
        JsonObject hosts,
        List<String> extraRoots,
        @Range(min = 4096, max = 1024 * MIB) long auditFileBytesMax,
        @Range(min = 1, max = 10_000) int auditFilesMax,
        @Range(max = 3650 * DAY_MS) long auditKeepMs) {
    static final long MIB = 1024 * 1024;
    static final long DAY_MS = 86_400_000;

    /** {@link #hosts} with lists only. */
    Map<String, List<String>> addresses() {
        Map<String, List<String>> addresses = new TreeMap<>();
        for (String name : hosts.names()) {
            Object value = hosts.value(name);
            List<?> all = value instanceof List<?> list ? list : List.of(String.valueOf(value));
            addresses.put(name, all.stream().map(String::valueOf).toList());
        }
        return addresses;
    }
}
