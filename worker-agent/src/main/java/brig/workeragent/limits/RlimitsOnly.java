package brig.workeragent.limits;

import java.nio.file.Path;
import java.util.List;

/**
 * No cgroup to be had: brig-init's rlimits are all there is. Memory counts per process, CPU is not limited.
 */
public final class RlimitsOnly implements LimitsBackend {

    private static final LimitsLease NOTHING_HELD = new LimitsLease() {
        @Override
        public void limit(ResourceLimits limits) {
        }

        @Override
        public List<Path> procsFiles() {
            return List.of();
        }

        @Override
        public boolean limitsMemory() {
            return false;
        }

        @Override
        public boolean oomKilled() {
            return false;
        }

        @Override
        public void close() {
        }
    };

    @Override
    public String level() {
        return "rlimits";
    }

    @Override
    public LimitsLease acquire(String name) {
        return NOTHING_HELD;
    }
}
