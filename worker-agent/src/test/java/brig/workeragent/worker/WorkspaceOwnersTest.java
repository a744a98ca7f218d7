package brig.workeragent.worker;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.spawn.SpawnRequest.Asker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkspaceOwnersTest {
    private static final Asker ALICE = new Asker("alice", false);
    private static final Asker BOB = new Asker("bob", false);
    private static final Asker ADMIN = new Asker("admin", true);

    @TempDir
    Path folder;

    private WorkspaceOwners tenants;
    private Path work;

    @BeforeEach
    void open() throws IOException {
        tenants = new WorkspaceOwners(folder.resolve("notes"));
        work = Files.createDirectories(folder.resolve("base/work"));
    }

    private void requireRefused(Path wanted, Asker asker, boolean shares) {
        BrigException refusal = assertThrows(BrigException.class, () -> tenants.requireFree(wanted, asker, shares));
        assertEquals(ErrorCode.WORKSPACE_IN_USE, refusal.code());
    }

    private void requireFree(Path wanted, Asker asker, boolean shares) {
        assertDoesNotThrow(() -> tenants.requireFree(wanted, asker, shares));
    }

    @Test
    void shouldNoteForItsOwnerAloneWhoseAFolderIs() throws IOException {
        tenants.enter("spn_1", work, ALICE, true);
        try (Stream<Path> notes = Files.list(folder.resolve("notes"))) {
            for (Path note : notes.toList()) {
                assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(note)));
            }
        }
        tenants = new WorkspaceOwners(folder.resolve("notes"));
        requireRefused(work, BOB, false);
    }

    @Test
    void shouldTellWhichFoldersThatWereMadeNobodyWorksIn() throws IOException {
        Path inside = Files.createDirectory(work.resolve("inside"));
        tenants.enter("spn_1", work, ALICE, true);
        tenants.enter("spn_2", inside, ALICE, false);
        assertEquals(List.of(), tenants.abandoned());
        assertTrue(tenants.hasOthers("spn_1", work));
        tenants.leave("spn_2");
        assertFalse(tenants.hasOthers("spn_1", work));
        tenants.leave("spn_1");
        assertEquals(List.of(work), tenants.abandoned());
        tenants.forget(work);
        requireFree(work, BOB, false);
        assertEquals(List.of(), new WorkspaceOwners(folder.resolve("notes")).abandoned());
    }

    @Test
    void shouldKeepOthersOutOfAFolderAndWhatIsAboveAndBelowItWhileSomebodyWorksThere() {
        tenants.enter("spn_1", work, ALICE, false);
        for (Path touched : List.of(work, work.resolve("sub/deep"), folder.resolve("base"))) {
            requireRefused(touched, BOB, false);
            requireRefused(touched, BOB, true);
            requireRefused(touched, ALICE, false);
            requireRefused(touched, ADMIN, false);
        }
        for (Asker sharing : List.of(ALICE, ADMIN)) {
            requireFree(work, sharing, true);
            requireRefused(work.resolve("sub/deep"), sharing, true);
            requireRefused(folder.resolve("base"), sharing, true);
        }
        requireFree(folder.resolve("base/working"), BOB, false);
        tenants.leave("spn_1");
        requireFree(work, BOB, false);
    }

    @Test
    void shouldNotMakeOneCaptainsOfAnothersFolder() {
        tenants.enter("spn_1", work, ALICE, false);
        assertDoesNotThrow(() -> tenants.requireNotOfOthers(work, ALICE, false));
        assertThrows(BrigException.class, () -> tenants.requireNotOfOthers(work, BOB, true));
        assertThrows(BrigException.class, () -> tenants.requireNotOfOthers(work.resolve(".git"), BOB, false));
        assertThrows(BrigException.class, () -> tenants.requireNotOfOthers(work, ADMIN, false));
        assertDoesNotThrow(() -> tenants.requireNotOfOthers(work, ADMIN, true));
        Path below = work.resolve("sub");
        for (Asker sharing : List.of(ALICE, ADMIN)) {
            assertThrows(BrigException.class, () -> tenants.requireNotOfOthers(below, sharing, true));
        }
    }

    @Test
    void shouldStayFullUntilTheLastOneHasLeft() {
        tenants.enter("spn_1", work, ALICE, false);
        tenants.enter("spn_2", work, ALICE, false);
        tenants.leave("spn_1");
        requireRefused(work, BOB, false);
        tenants.leave("spn_2");
        requireFree(work, BOB, false);
    }

    @Test
    void shouldKeepWhatWasMadeForACaptainForItAsLongAsItIsThere() throws IOException {
        tenants.enter("spn_1", work, ALICE, true);
        tenants.leave("spn_1");
        requireRefused(work, BOB, true);
        requireRefused(folder.resolve("base"), BOB, false);
        requireFree(work, ALICE, false);
        requireFree(work, ADMIN, true);

        tenants = new WorkspaceOwners(folder.resolve("notes"));
        requireRefused(work, BOB, false);
        Files.delete(work);
        requireFree(work, BOB, false);
        tenants = new WorkspaceOwners(folder.resolve("notes"));
        try (var notes = Files.list(folder.resolve("notes"))) {
            assertEquals(0, notes.count());
        }
    }

    @Test
    void shouldForgetAFolderThatWentWithItsSpawn() throws IOException {
        tenants.enter("spn_1", work, ALICE, true);
        Files.delete(work);
        tenants.leave("spn_1");
        requireFree(work, BOB, false);
        try (var notes = Files.list(folder.resolve("notes"))) {
            assertEquals(0, notes.count());
        }
    }

    @Test
    void shouldGoOnWithoutANoteThatCannotBeRead() throws IOException {
        Files.createDirectories(folder.resolve("notes"));
        Files.writeString(folder.resolve("notes/x.json"), "{");
        tenants = new WorkspaceOwners(folder.resolve("notes"));
        requireFree(work, BOB, false);
        assertTrue(Files.exists(folder.resolve("notes/x.json")));
    }
}
