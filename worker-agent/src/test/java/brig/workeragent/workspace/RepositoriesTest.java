package brig.workeragent.workspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.spawn.SpawnRequest;
import brig.workeragent.wall.HostUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RepositoriesTest {
    private static final int WORKERS = 59617;

    @TempDir
    private Path temporary;

    private Path base;
    private Path repository;

    @BeforeEach
    void makeRepository() throws IOException {
        base = Files.createDirectory(temporary.toRealPath().resolve("workspaces"));
        repository = temporary.toRealPath().resolve("shop");
        Files.createDirectories(repository.resolve(".git"));
    }

    private Repositories ofThePerson(Path... named) {
        return new Repositories(List.of(base), () -> List.of(named), null);
    }

    private static SpawnRequest.Asker asker(boolean admin) {
        return new SpawnRequest.Asker("uid:1234", admin, null);
    }

    private BrigException refused(Repositories repositories, boolean admin) {
        return assertThrows(BrigException.class, () -> repositories.require(repository, asker(admin)));
    }

    @Test
    void shouldOpenAPersonsOwnRepositoriesToThePersonAloneOnTheirOwnGateway() {
        assertEquals(new Repositories.Found(repository, null), ofThePerson().require(repository, asker(true)));
        BrigException captain = refused(ofThePerson(), false);
        assertEquals(ErrorCode.WORKSPACE_OUTSIDE_BASE, captain.code());
        assertTrue(captain.getMessage().endsWith("brig repository add " + repository), captain.getMessage());
        assertEquals(
                new Repositories.Found(repository, null),
                ofThePerson(repository).require(repository, asker(false)));
    }

    @Test
    void shouldAskForTheOperatorsWordWhenRootsGatewayIsAsked() {
        Repositories ofRoot = new Repositories(List.of(base), List::of, WORKERS);
        assertEquals(ErrorCode.WORKSPACE_OUTSIDE_BASE, refused(ofRoot, true).code());
    }

    @Test
    void shouldNameTheOwnerWhomAWorktreeIsMadeAsAndNeverRoot() throws IOException {
        Repositories ofRoot = new Repositories(List.of(base), () -> List.of(repository), WORKERS);
        Path git = repository.resolve(".git");
        assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "to give a file away needs root");
        BrigException refused = refused(ofRoot, true);
        assertEquals(ErrorCode.INVALID_FIELD, refused.code());
        assertTrue(refused.getMessage().contains("belongs to uid 0"), refused.getMessage());

        Files.setAttribute(git, "unix:uid", 4711);
        assertTrue(refused(ofRoot, true).getMessage().contains("and gid 0"), "root's group is root's");
        Files.setAttribute(git, "unix:gid", 4712);
        assertEquals(
                new HostUser(4711, 4712),
                ofRoot.require(repository, asker(true)).lender());
        assertEquals(
                4711,
                ofRoot.require(repository, new SpawnRequest.Asker("uid:4711", false, null))
                        .lender()
                        .uid());
        assertTrue(refused(ofRoot, false).getMessage().contains("only that user, or an admin"));
        Files.setAttribute(git, "unix:uid", WORKERS);
        assertNull(ofRoot.require(repository, asker(false)).lender());
    }

    @Test
    void shouldNotTakeAnothersRepositoryOrWhatIsNone() throws IOException {
        Files.delete(repository.resolve(".git"));
        assertTrue(refused(ofThePerson(), true).getMessage().contains("must be a git repository"));
        Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        if (self.equals(0)) {
            Files.createDirectory(repository.resolve(".git"));
            Files.setAttribute(repository.resolve(".git"), "unix:uid", WORKERS);
            assertEquals(
                    ErrorCode.WORKSPACE_OUTSIDE_BASE,
                    refused(ofThePerson(), true).code());
        }
    }
}
