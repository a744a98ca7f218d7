package brig.workeragent.egress;

import java.util.List;
import java.util.Map;

/**
 * The section {@code worker.egress} of {@code config/brig.json}, whose comments say what each key means.
 *
 * @param uid whom brig-egress runs as where Brig runs as root
 * @param hosts addresses by name, each a string or a list of strings
 */
public record EgressConfig(
        int uid,
        Map<String, Object> hosts,
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

    private static void requireRange(String key, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(key + ": must be from " + min + " to " + max + ", not " + value);
        }
    }
}
