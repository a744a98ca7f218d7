package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A worktree on a host that ssh reaches, of a repository that is here. */
@Timeout(240)
class RemoteRepositoryTest {
    private static final String NAME = "build1";
    private static final int USER = 4711;

    private static void sh(Path folder, String script) throws Exception {
        Process run = new ProcessBuilder(
                        "sh",
                        "-c",
                        "git() { command git -c safe.directory='*' -c user.name=a -c user.email=a@b.c \"$@\"; }\n"
                                + script)
                .directory(folder.toFile())
                .inheritIO()
                .start();
        assertEquals(0, run.waitFor());
    }

    private static Run run(Product product, Path repository, String... more) throws IOException {
        String[] all = new String[7 + more.length];
        System.arraycopy(new String[] {"run", "shell", "--host", NAME, "-r", repository.toString()}, 0, all, 0, 6);
        System.arraycopy(more, 0, all, 6, more.length - 1);
        all[5 + more.length] = "--";
        all[6 + more.length] = more[more.length - 1];
        return product.brig(all);
    }

    @Test
    @Tag("slow")
    void shouldWorkThereAndApplyTheChangesHere() throws Exception {
        Product.requireRoot("whose gateway works on another user's repository");
        try (SshHost host = SshHost.start(NAME);
                Product product = Payloads.start()) {
            Path repository = Files.createDirectory(product.folder().resolve("shop"));
            sh(
                    repository,
                    "git init -q -b main . && echo one > a.txt && git add . && git commit -qm first; echo KEY > .env");
            sh(repository, "chown -R " + USER + ":" + USER + " .");
            assertEquals(
                    0, product.brig("repository", "add", repository.toString()).exitCode());
            host.addTo(product);

            Run first = run(
                    product,
                    repository,
                    "--task-id",
                    "fix",
                    "git log --format=%s; ls -A; echo two >> a.txt; echo new > b.txt");
            assertEquals(0, first.exitCode(), first::err);
            assertEquals("first\n.git\na.txt", first.out().strip());
            assertTrue(product.brig("diff", "fix").out().contains("+two"));
            Run applied = product.brig("apply", "fix");
            assertEquals(0, applied.exitCode(), applied::err);
            assertEquals("one\ntwo\n", Files.readString(repository.resolve("a.txt")));
            assertEquals(USER, Files.getAttribute(repository.resolve("b.txt"), "unix:uid"));
            Run kept = product.brig("workspaces");
            assertTrue(
                    kept.out().contains(repository.toString()) && kept.out().contains(" " + NAME + " "),
                    kept::toString);
            Run again = product.brig("apply", "fix");
            assertTrue(again.err().contains("has all of it already"), again::err);
            assertFalse(Files.exists(host.home().resolve("a.txt")));

            sh(repository, "git commit -qam second");
            assertEquals(
                    "second\nfirst",
                    run(product, repository, "git log --format=%s").out().strip());
        }
    }
}
