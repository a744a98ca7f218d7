package brig.workeragent.sandbox;

import brig.protocol.spawn.WallKind;
import brig.workeragent.limits.ResourceLimits;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A kernel of its own that a worker has in the wall around it. A starter, process 1's command, starts it there; behind it a second
 * brig-init starts the worker.
 *
 * <p>Decisions 0205, 0210.
 */
sealed interface SecondKernel permits Gvisor, VirtualMachine {

    /** @return null if walls of that kind use the host's kernel */
    static @Nullable SecondKernel of(WallKind kind) {
        return switch (kind) {
            case BWRAP -> null;
            case GVISOR -> Gvisor.INSTANCE;
            case VM -> VirtualMachine.INSTANCE;
        };
    }

    /**
     * What the wall has for it, as options of bwrap.
     *
     * @throws SandboxException {@code WALL_UNAVAILABLE} with the mend
     */
    List<String> options(WallTemplate template, LauncherConfig config) throws SandboxException;

    /** The starter's command line, up to the command behind the kernel. */
    List<String> start(WallProfile profile, ResourceLimits limits) throws SandboxException;

    /** The kind of kernel, for the second brig-init. */
    String word();

    /** The limits of the wall around it, for a worker with these. */
    ResourceLimits around(ResourceLimits limits);

    /** The properties that the second brig-init measures. */
    List<String> declared(DeclaredPosture posture, WallProfile profile) throws SandboxException;
}
