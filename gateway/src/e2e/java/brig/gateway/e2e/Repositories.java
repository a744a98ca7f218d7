package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Repositories of git for sessions to have worktrees of. */
final class Repositories {
    private static final String MAKE = "cd \"$1\" && git init -q -b main . && echo first >README && git add . &&"
            + " git -c user.name=a -c user.email=a@b.c commit -qm first"
            + " && { [ $(id -u) != 0 ] || chown -R 4711:4711 .; }";

    private Repositories() {}

    /** With a commit of one file, README, and known to that gateway. */
    static Path make(Product product, String name) throws IOException {
        Path repository = Files.createDirectory(product.folder().resolve(name));
        Run made = Run.of(List.of("sh", "-c", MAKE, "sh", repository.toString()), "", product.folder(), 60);
        assertEquals(0, made.exitCode(), made::err);
        assertEquals(0, product.brig("repository", "add", repository.toString()).exitCode());
        return repository;
    }
}
