package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.workeragent.sandbox.SandboxException.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkspaceFolderTest {
    private static final int WORKERS = 16;

    @TempDir
    Path root;

    private Path base;
    private WorkerIdentity identity;

    @BeforeEach
    void open() throws IOException, SandboxException {
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
        base = Files.createDirectory(root.resolve("base"));
        identity = WorkerIdentity.ofHost(WorkerIdentity.DEFAULT_UID);
    }

    private Code refusal(Path requested) {
        return assertThrows(SandboxException.class, () -> WorkspaceFolder.prepare(List.of(base), requested, identity))
                .code();
    }

    @Test
    void shouldMakeFolderForTheWorkerAloneWhenAbsent() throws Exception {
        Path made = WorkspaceFolder.prepare(List.of(base), base.resolve("w1"), identity);
        assertEquals(base.toRealPath().resolve("w1"), made);
        assertEquals(identity.uid(), Files.getAttribute(made, "unix:uid"));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(made)));
    }

    @Test
    void shouldLeaveFolderAsItIsWhenItExists() throws Exception {
        Path mine = Files.createDirectory(base.resolve("mine"));
        Files.setPosixFilePermissions(mine, PosixFilePermissions.fromString("rwxr-x---"));
        WorkspaceFolder.prepare(List.of(base), mine, identity);
        assertEquals("rwxr-x---", PosixFilePermissions.toString(Files.getPosixFilePermissions(mine)));
    }

    @Test
    void shouldRefuseWhenOutsideOfEveryBase() throws IOException {
        assertEquals(Code.WORKSPACE_OUTSIDE_BASE, refusal(root.resolve("elsewhere")));
        assertFalse(Files.exists(root.resolve("elsewhere")));
        assertEquals(Code.WORKSPACE_OUTSIDE_BASE, refusal(base.resolve("../elsewhere")));
        assertEquals(Code.WORKSPACE_OUTSIDE_BASE, refusal(root.resolve("base-but-longer")));
        assertEquals(Code.WORKSPACE_OUTSIDE_BASE, refusal(base));
        assertEquals(Code.WORKSPACE_OUTSIDE_BASE, refusal(Path.of("relative")));
    }

    @Test
    void shouldRefuseWhenALinkLeadsOut() throws IOException {
        Path outside = Files.createDirectory(root.resolve("outside"));
        Files.createSymbolicLink(base.resolve("link"), outside);
        assertEquals(Code.WORKSPACE_OUTSIDE_BASE, refusal(base.resolve("link")));
        assertEquals(Code.WORKSPACE_OUTSIDE_BASE, refusal(base.resolve("link/deeper")));
        assertFalse(Files.exists(outside.resolve("deeper")));
        Files.createSymbolicLink(base.resolve("dangling"), root.resolve("not-there"));
        assertEquals(Code.WORKSPACE_UNREACHABLE, refusal(base.resolve("dangling")));
    }

    @Test
    void shouldGiveOnlyTheLastFolderToTheWorkerWhenSeveralAreMade() throws Exception {
        WorkspaceFolder.prepare(List.of(base), base.resolve("team/w2"), identity);
        assertEquals(Files.getAttribute(base, "unix:uid"), Files.getAttribute(base.resolve("team"), "unix:uid"));
        assertEquals(identity.uid(), Files.getAttribute(base.resolve("team/w2"), "unix:uid"));
    }

    @Test
    void shouldRefuseWhenInsideTheWorkspaceOfAWorker() throws Exception {
        assumeTrue(identity.switched());
        WorkspaceFolder.prepare(List.of(base), base.resolve("w3"), identity);
        assertEquals(Code.WORKSPACE_OUTSIDE_BASE, refusal(base.resolve("w3/inner")));
    }

    @Test
    void shouldTellBeforehandWhatLeadsOutAndMakeNothing() throws Exception {
        List<Path> bases = List.of(base);
        WorkspaceFolder.check(bases, base.resolve("team/w4"));
        assertFalse(Files.exists(base.resolve("team")));
        Files.createSymbolicLink(base.resolve("link"), Files.createDirectory(root.resolve("outside")));
        for (Path out :
                List.of(base, root.resolve("elsewhere"), base.resolve("../elsewhere"), base.resolve("link/deeper"))) {
            assertEquals(
                    Code.WORKSPACE_OUTSIDE_BASE,
                    assertThrows(SandboxException.class, () -> WorkspaceFolder.check(bases, out))
                            .code());
        }
    }

    @Test
    void shouldRefuseWhenThereIsNoBase() {
        assertEquals(
                Code.WORKSPACE_OUTSIDE_BASE,
                assertThrows(
                                SandboxException.class,
                                () -> WorkspaceFolder.prepare(List.of(), base.resolve("w"), identity))
                        .code());
    }

    @Test
    void shouldMakeFoldersForWorkersThatStartTogether() throws Exception {
        CyclicBarrier together = new CyclicBarrier(WORKERS);
        List<Future<Path>> made = new ArrayList<>();
        try (ExecutorService workers = Executors.newFixedThreadPool(WORKERS)) {
            for (int worker = 0; worker < WORKERS; worker++) {
                Path mine = base.resolve("new/homes/" + worker);
                made.add(workers.submit(() -> {
                    together.await();
                    return WorkspaceFolder.prepare(List.of(base), mine, identity);
                }));
            }
        }
        for (Future<Path> folder : made) {
            assertTrue(Files.isDirectory(folder.get()));
        }
    }
}
