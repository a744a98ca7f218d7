package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * From nothing to sessions on another host by docs/remote.md alone: its first commands as they stand there. The
 * ssh_config of the user who runs them leads the documented name to a host of the tests.
 */
@Timeout(240)
@Tag("slow")
class RemotePageTest {
    private static final Pattern BLOCK = Pattern.compile("```sh\\n(?<commands>brig host add .*?)```", Pattern.DOTALL);
    private static final String USER = "ci";
    private static final String NAME = "build1.example.org";

    private static String commands() throws Exception {
        Matcher found = BLOCK.matcher(Files.readString(Path.of("../docs/remote.md")));
        assertTrue(found.find(), "the page begins with commands");
        String commands = found.group("commands");
        assertEquals(3, commands.lines().count());
        assertTrue(commands.contains(USER + "@" + NAME));
        // The real agent has a test of its own.
        return commands.replace("claude -- 'Fix the tests'", "shell -- 'cat a.txt; pwd'");
    }

    /** A folder with an ssh that reads that ssh_config, as the user's own would be read. */
    private static Path sshOf(Product product, SshHost host) throws Exception {
        Path config = product.folder().resolve("ssh_config");
        Files.writeString(
                config, Files.readString(host.config().file()).replace("Host " + USER + "\n", "Host " + NAME + "\n"));
        Path programs = Files.createDirectory(product.folder().resolve("bin"));
        Files.writeString(programs.resolve("ssh"), "#!/bin/sh\nexec /usr/bin/ssh -F '" + config + "' \"$@\"\n");
        Files.setPosixFilePermissions(programs.resolve("ssh"), PosixFilePermissions.fromString("rwxr-xr-x"));
        return programs;
    }

    @Test
    void shouldRunTheFirstCommandsOfThePage() throws Exception {
        Product.requireRoot("a host that ssh reaches");
        try (SshHost host = SshHost.start(USER);
                Product product = Product.prepare(Map.of())) {
            Path programs = sshOf(product, host);
            String path = "PATH=" + programs + ":" + System.getenv("PATH");
            product.with(path).serve();
            Path repository = Files.createDirectory(product.workspaces().resolve("shop"));
            String script = "set -e; cd '" + repository + "'; brig() { '" + Product.BRIG + "' --config '"
                    + product.config() + "' \"$@\"; }\n"
                    + "git init -q -b main . && echo one > a.txt && git add . \n"
                    + "git -c user.name=a -c user.email=a@b.c commit -qm first\nchown -R 4711:4711 .\n" + commands();
            Run run = Run.of(List.of("env", path, "bash", "-c", script), "", product.folder());
            assertEquals(0, run.exitCode(), run::toString);
            assertTrue(run.out().contains("uid=") && run.out().contains("one\n/workspace"), run::toString);
        }
    }
}
