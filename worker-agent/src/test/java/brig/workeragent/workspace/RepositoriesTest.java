package brig.workeragent.workspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
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

    private BrigException refused(Repositories repositories, boolean admin) {
        return assertThrows(BrigException.class, () -> repositories.require(repository, admin));
    }

    @Test
    void shouldOpenAPersonsOwnRepositoriesToThePersonAloneOnTheirOwnGateway() {
        assertEquals(repository, ofThePerson().require(repository, true));
        BrigException captain = refused(ofThePerson(), false);
        assertEquals(ErrorCode.WORKSPACE_OUTSIDE_BASE, captain.code());
        assertTrue(captain.getMessage().endsWith("brig repository add " + repository), captain.getMessage());
        assertEquals(repository, ofThePerson(repository).require(repository, false));
    }

    @Test
    void shouldAskForTheOperatorsWordWhenRootsGatewayIsAsked() {
        Repositories ofRoot = new Repositories(List.of(base), List::of, WORKERS);
        assertEquals(ErrorCode.WORKSPACE_OUTSIDE_BASE, refused(ofRoot, true).code());
    }

    @Test
    void shouldNotProposeToGiveARepositoryAway() {
        Repositories ofRoot = new Repositories(List.of(base), () -> List.of(repository), WORKERS);
        BrigException refused = refused(ofRoot, true);
        assertEquals(ErrorCode.INVALID_FIELD, refused.code());
        assertTrue(refused.getMessage().contains("run brig as that user") && !refused.getMessage().contains("chown"),
                refused.getMessage());
    }

    @Test
    void shouldNotTakeAnothersRepositoryOrWhatIsNone() throws IOException {
        Files.delete(repository.resolve(".git"));
        assertTrue(refused(ofThePerson(), true).getMessage().contains("must be a git repository"));
        Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        if (self.equals(0)) {
            Files.createDirectory(repository.resolve(".git"));
            Files.setAttribute(repository.resolve(".git"), "unix:uid", WORKERS);
            assertEquals(ErrorCode.WORKSPACE_OUTSIDE_BASE, refused(ofThePerson(), true).code());
        }
    }
}
