package brig.gateway.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command that makes the scope, against programs that stand in for systemd-run. */
@Timeout(30)
class DelegatedScopeTest {
    @TempDir
    Path folder;

    private Path systemdRun;

    @BeforeEach
    void open() {
        systemdRun = folder.resolve("systemd-run");
    }

    /** A systemd-run that notes its arguments, and then does this. */
    private void standIn(String script) throws IOException {
        Files.writeString(systemdRun, "#!/bin/sh\necho \"$*\" >> " + folder.resolve("asked") + "\n" + script + "\n");
        Files.setPosixFilePermissions(systemdRun, PosixFilePermissions.fromString("rwx------"));
    }

    private List<String> prefix(boolean root) {
        return new DelegatedScope(folder, systemdRun, root).prefix();
    }

    @Test
    void shouldAskTheSystemForADelegatedScopeWhenRoot() throws IOException {
        standIn("exit 0");
        assertEquals(
                List.of(
                        systemdRun.toString(),
                        "--scope",
                        "--quiet",
                        "--collect",
                        "--property=Delegate=yes",
                        "--property=TasksMax=infinity"),
                prefix(true));
        assertEquals(
                "--scope --quiet --collect --property=Delegate=yes --property=TasksMax=infinity true\n",
                Files.readString(folder.resolve("asked")));
    }

    @Test
    void shouldAskTheUsersOwnSystemdWhenNotRoot() throws IOException {
        standIn("exit 0");
        assertEquals("--user", prefix(false).getLast());
    }

    @Test
    void shouldDoWithoutAScopeWhenTheTrialFails() throws IOException {
        standIn("echo Failed to connect to bus >&2; exit 1");
        assertEquals(List.of(), prefix(true));
    }

    @Test
    void shouldDoWithoutAScopeWhenSystemdDoesNotAnswer() throws IOException {
        standIn("exec sleep 3600");
        assertEquals(List.of(), prefix(false));
    }

    @Test
    void shouldDoWithoutAScopeWhenThereIsNoSystemdRun() {
        assertEquals(List.of(), prefix(true));
    }

    @Test
    void shouldNotAskWhenSystemdDoesNotRunTheHost() throws IOException {
        standIn("exit 0");
        assertEquals(List.of(), new DelegatedScope(folder.resolve("absent"), systemdRun, true).prefix());
        assertFalse(Files.exists(folder.resolve("asked")));
    }
}
