package brig.workeragent.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RelayAuthoritiesTest {
    private static final int WORKERS = 16;

    @TempDir
    private Path folder;

    @Test
    void shouldKeepACertificateOnceForWorkersThatStartTogether() throws Exception {
        RelayAuthorities authorities = new RelayAuthorities(folder.resolve("relay"));
        CyclicBarrier together = new CyclicBarrier(WORKERS);
        List<Future<Path>> files = new ArrayList<>();
        try (ExecutorService workers = Executors.newFixedThreadPool(WORKERS)) {
            for (int worker = 0; worker < WORKERS; worker++) {
                files.add(workers.submit(() -> {
                    together.await();
                    return authorities.fileOf("a certificate");
                }));
            }
        }
        Path found = files.getFirst().get();
        for (Future<Path> file : files) {
            assertEquals(found, file.get());
        }
        try (Stream<Path> there = Files.list(folder.resolve("relay"))) {
            assertEquals(List.of(found), there.toList());
        }
        assertEquals("a certificate", Files.readString(found));
    }
}
