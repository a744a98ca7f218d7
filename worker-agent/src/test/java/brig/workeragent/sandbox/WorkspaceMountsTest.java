package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkspaceMountsTest {
    private static final Path WORKSPACE = Path.of("/srv/work");
    private static final Path BLANK = Path.of("/run/brig/blank");

    private static WallProfile.Mount mount(Path source, String target) {
        return new WallProfile.Mount(source, Path.of(target), true);
    }

    @Test
    void shouldNameWhatIsNoPartOfTheWorkspaceAsTheKernelWritesIt() throws SandboxException {
        WallProfile profile = WallProfile.of(WORKSPACE)
                .with(List.of(
                        mount(WORKSPACE.resolve(".git"), "/workspace/.git"),
                        mount(WORKSPACE.resolve("a"), "/workspace/b"),
                        mount(BLANK, "/workspace/.env"),
                        mount(Path.of("/opt/tools"), "/opt/tools"),
                        mount(Path.of("/opt/a"), "/workspace/a b\tc\nd\\e")));
        assertEquals(
                List.of("/workspace/a\\040b\\011c\\012d\\134e", "/workspace/b"),
                new WorkspaceMounts(BLANK).declared(profile));
    }

    @Test
    void shouldNameWhatTheHostMountsBelowTheWorkspace() throws SandboxException {
        List<String> declared = new WorkspaceMounts(BLANK).declared(WallProfile.of(Path.of("/dev")));
        assertTrue(declared.contains("/workspace/pts"), declared::toString);
    }
}
