package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The agent of {@code sh/story}, which does one piece of work in a repository of its own. */
final class Story {
    static final String PROMPT =
            "Add a discount to the cart and keep the callers as they are. Use sub-agents for the search and the tests.";
    private static final Path SCRIPT = Path.of(System.getProperty("brig.tests"), "sh/story");

    private final Product product;
    private final Path repository;

    /** @param pauseSeconds the time between two steps */
    Story(Product product, String pauseSeconds) throws IOException {
        this.product = product;
        repository = Files.createDirectories(product.workspaces().resolve("shop"));
        for (String name : List.of("story", "story-asks")) {
            product.addProfile(
                    name,
                    "mock",
                    Map.of(
                            "command",
                            List.of(
                                    "/bin/bash",
                                    "-c",
                                    Files.readString(SCRIPT),
                                    "story",
                                    pauseSeconds,
                                    name.endsWith("asks") ? "asks" : ""),
                            "install",
                            Map.of()));
        }
        Run made = Run.of(List.of("sh", "-ec", """
                        cd "$1"; git init -q .; mkdir src test
                        printf 'export function total(items) {\\n    let sum = 0;\\n    for (const item of items) {\\n' > src/cart.js
                        printf '        sum += item.price;\\n    }\\n    return sum;\\n}\\n' >> src/cart.js
                        git add .; git -c user.name=t -c user.email=t@example.org commit -qm first
                        if [ $(id -u) = 0 ]; then chown -R 59617 .; fi""", "sh", repository.toString()), "", product.folder());
        assertEquals(0, made.exitCode(), made::err);
    }

    Path repository() {
        return repository;
    }

    /** A session that does it all at once, or asks before it runs the tests. */
    Spawned begin(String taskId, boolean asks) throws IOException {
        return new Spawned(
                product,
                product.ask("{\"action\":\"spawn\",\"task_id\":\"" + taskId + "\",\"workspace_mode\":\"worktree\","
                        + "\"repository\":\"" + repository + "\",\"agent_config\":{\"name\":\"story"
                        + (asks ? "-asks\",\"permissions\":\"ask" : "") + "\"},\"prompt\":\"" + PROMPT + "\"}"));
    }
}
