package brig.workeragent.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserCountsTest {
    @TempDir
    Path folder;

    private UserCounts counts(Map<String, String> files) throws Exception {
        for (var file : files.entrySet()) {
            Files.writeString(folder.resolve(file.getKey()), file.getValue() + "\n");
        }
        return UserCounts.read(folder);
    }

    @Test
    void shouldGiveAWorkerAShareOfWhatItsUserHas() throws Exception {
        UserCounts counts = counts(
                Map.of("max_inotify_instances", "128", "max_inotify_watches", "8192", "max_net_namespaces", "800"));
        assertEquals(Map.of("max_inotify_instances", 16L, "max_inotify_watches", 2048L), counts.ofWorker(false));
        assertEquals(
                Map.of("max_inotify_instances", 16L, "max_inotify_watches", 2048L, "max_net_namespaces", 100L),
                counts.ofWorker(true));
        assertEquals(16, counts.inotifyInstances());
        assertEquals(128, counts.inotifyInstancesOfUser());
    }

    @Test
    void shouldGiveNoMoreInstancesThanAWorkerNeedsAndNoFewerThanOne() throws Exception {
        assertEquals(64, counts(Map.of("max_inotify_instances", "8192")).inotifyInstances());
        assertEquals(1, counts(Map.of("max_inotify_instances", "3")).inotifyInstances());
    }

    @Test
    void shouldLeaveOutWhatTheKernelDoesNotCount() throws Exception {
        UserCounts counts = counts(Map.of("max_user_namespaces", "0"));
        assertEquals(0, counts.inotifyInstances());
        assertEquals(Map.of(), counts.ofWorker(false));
        assertEquals(Map.of("max_user_namespaces", 1L), counts.ofWorker(true));
    }

    @Test
    void shouldRefuseWhatIsNoNumber() {
        String why = assertThrows(LimitsUnavailableException.class, () -> counts(Map.of("max_inotify_watches", "many")))
                .getMessage();
        assertTrue(why.contains("max_inotify_watches"), why);
    }
}
