package brig.loadtests.product;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JvmOptionsTest {
    @Test
    void shouldFollowWhatTheEnvironmentNames() {
        JvmOptions options = JvmOptions.NONE.gateway("-Xint").and(new JvmOptions(List.of("-Xmx1g"), List.of()));
        assertEquals(
                Map.of("BRIG_JAVA_OPTS", "-Xlog:gc -Xint -Xmx1g"),
                options.environment(Map.of("BRIG_JAVA_OPTS", "-Xlog:gc", "BRIG_WORKER_AGENT_JAVA_OPTS", "-Xmx2g")));
        assertEquals(
                Map.of("BRIG_WORKER_AGENT_JAVA_OPTS", "-Xint"),
                new JvmOptions(List.of(), List.of("-Xint")).environment(Map.of()));
    }
}
