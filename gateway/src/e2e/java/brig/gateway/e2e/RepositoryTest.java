package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which repositories sessions may have worktrees of, as a person says it and as a refusal proposes it. */
@Timeout(120)
@Tag("slow")
class RepositoryTest {
    private static final int USER = 4711;

    private static Path repository(Product product) throws Exception {
        Path repository = Files.createDirectory(product.folder().resolve("shop"));
        Process git = new ProcessBuilder(
                        "sh",
                        "-c",
                        "git init -q -b main . && echo one > a.txt && git add . && git -c user.name=t"
                                + " -c user.email=t@example.org commit -qm first")
                .directory(repository.toFile())
                .inheritIO()
                .start();
        assertEquals(0, git.waitFor());
        return repository;
    }

    @Test
    void shouldWorkOnAPersonsOwnRepositoryWithoutALine() throws Exception {
        Product.requireRoot("to be another user");
        try (Product product = Product.prepare(Map.of())) {
            Path repository = repository(product);
            product.asUser(USER).serve();
            Run run = product.brig(
                    "run", "shell", "-r", repository.toString(), "--", "git log --format=%s; echo two > b.txt");
            assertEquals(0, run.exitCode(), run::err);
            assertEquals("first", run.out().strip());
        }
    }

    @Test
    void shouldProposeTheCommandThatNamesARepositoryWhichThenCountsAtOnce() throws Exception {
        Product.requireRoot("whose gateway asks for the operator's word");
        try (Product product = Product.start()) {
            Path repository = repository(product);
            String[] run = {"run", "shell", "-r", repository.toString(), "--", "true"};
            Run refused = product.brig(run);
            assertTrue(refused.err().contains("brig repository add " + repository), refused::err);
            assertEquals(
                    0, product.brig("repository", "add", repository.toString()).exitCode());
            assertEquals(
                    repository.toString(),
                    product.brig("repository", "list").out().strip());
            String then = product.brig(run).err();
            assertTrue(then.contains("belongs to uid 0") && !then.contains("repository add"), then);
            assertEquals(
                    0, product.brig("repository", "rm", repository.toString()).exitCode());
            assertEquals("", product.brig("repository", "list").out().strip());
            assertEquals(
                    125, product.brig("repository", "rm", repository.toString()).exitCode());
            assertEquals(
                    125, product.brig("repository", "add", "/nowhere/at/all").exitCode());
        }
    }

    private static Path repositoryOfAUser(Product product) throws Exception {
        Path repository = repository(product);
        assertEquals(
                0,
                new ProcessBuilder("chown", "-R", USER + ":" + USER, repository.toString())
                        .start()
                        .waitFor());
        assertEquals(0, product.brig("repository", "add", repository.toString()).exitCode());
        return repository;
    }

    @Test
    void shouldKnowWhatRunsWithoutAGatewayLeftByTheirNames() throws Exception {
        Product.requireRoot("to have another user's repository");
        try (Product product = Product.prepare(Map.of())) {
            String repository = repositoryOfAUser(product).toString();
            for (String name : List.of("ng", "none")) {
                Run run = product.brig(
                        "run",
                        "shell",
                        "--task-id",
                        name,
                        "-r",
                        repository,
                        "--",
                        name.equals("ng") ? "echo z > z" : "true");
                assertEquals(0, run.exitCode(), run::err);
                assertEquals(
                        name.equals("ng"),
                        run.err()
                                .contains(
                                        "its changes are kept: 'brig diff --config " + product.config() + " ng' shows"),
                        run::err);
            }
            String diff = product.brig("diff", "ng").out();
            assertTrue(diff.contains("+z"), diff);
            product.serve();
            assertEquals(diff, product.brig("diff", "ng").out());
            Run applied = product.brig("apply", "ng");
            assertEquals(0, applied.exitCode(), applied::err);
            Run discarded = product.brig("discard", "ng");
            assertEquals(0, discarded.exitCode(), discarded::err);
            Run refused = product.brig("diff", "ng");
            assertEquals(
                    "brig: no session 'ng' is known, and none of that name left changes: 'brig workspaces' lists those that"
                            + " did (NOT_FOUND)\n",
                    refused.err());
        }
    }

    @Test
    void shouldWorkOnAUsersRepositoryWithRootsGatewayAsThatUser() throws Exception {
        Product.requireRoot("to have another user's repository");
        try (Product product = Product.start()) {
            Path repository = repositoryOfAUser(product);
            Files.setAttribute(repository, "unix:mode", 0700);
            Run run = product.brig(
                    "run",
                    "--task-id",
                    "theirs",
                    "shell",
                    "-r",
                    repository.toString(),
                    "--",
                    "git log --format=%s; echo two > b.txt");
            assertEquals("0 first", run.exitCode() + " " + run.out().strip(), run::err);
            assertFalse(Files.exists(repository.resolve("b.txt")));
            Run applied = product.brig("apply", "theirs");
            assertEquals(0, applied.exitCode(), applied::err);
            assertEquals(USER, Files.getAttribute(repository.resolve("b.txt"), "unix:uid"));
            assertFalse(Files.exists(repository.resolve(".git/refs/heads/brig")));
        }
    }
}
