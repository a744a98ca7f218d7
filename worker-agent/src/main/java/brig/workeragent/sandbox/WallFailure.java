package brig.workeragent.sandbox;

import brig.workeragent.sandbox.SandboxException.Code;
import java.nio.file.Path;

/** Maps brig-launcher's report of a failed launch to a code and advice. */
final class WallFailure {

    private WallFailure() {}

    /**
     * A failed setup step.
     *
     * @param step   as in the protocol of brig-launcher
     * @param detail an errno name; for the step {@code wall} bwrap's message
     */
    static SandboxException ofStep(String step, String detail, Path bwrap) {
        return switch (step) {
            case "wall" -> new SandboxException(Code.SANDBOX_UNAVAILABLE, detail + mend(detail));
            case "bwrap" ->
                switch (detail) {
                    case "ENOENT" ->
                        new SandboxException(
                                Code.SANDBOX_UNAVAILABLE,
                                bwrap + " does not exist. Install bubblewrap: sudo apt-get install bubblewrap");
                    case "E2BIG" -> new SandboxException(Code.REQUEST_TOO_LARGE, "the command line is too long");
                    default -> step(step, detail);
                };
            case "walls" -> new SandboxException(Code.TOO_MANY_WALLS, "the launcher has no place for another wall");
            case "request" ->
                switch (detail) {
                    case "E2BIG" ->
                        new SandboxException(Code.REQUEST_TOO_LARGE, "command line and environment are too large");
                    case "ENOENT" -> new SandboxException(Code.SPARE_ENDED, "the wall's first process was killed");
                    default -> step(step, detail);
                };
            case "second-kernel" ->
                new SandboxException(
                        Code.SANDBOX_UNAVAILABLE, "the second kernel cannot be started in the wall: " + detail);
            case "network" ->
                new SandboxException(
                        Code.SANDBOX_UNAVAILABLE,
                        detail.equals("EXDEV")
                                ? "the wall has namespaces of the host, which are not to be touched"
                                : "its network and bounds could not be made: " + detail);
            case "overlay-namespace" ->
                new SandboxException(
                        Code.WALL_UNAVAILABLE,
                        "this host lets the workers' user make no user namespace, which a writable root needs ("
                                + detail
                                + "). On Ubuntu 24.04 and later set sysctl kernel.apparmor_restrict_unprivileged_userns=0,"
                                + " or take a read-only root");
            case "overlay" ->
                new SandboxException(
                        Code.WALL_UNAVAILABLE,
                        "this host mounts no overlay for a writable root (" + detail
                                + "). It needs Linux 5.11 or later, and"
                                + " the folder of kept roots on a file system such as ext4, xfs or btrfs; or take a"
                                + " read-only root");
            case "cgroup", "rlimit" ->
                new SandboxException(
                        Code.LIMITS_UNAVAILABLE, "the worker could not be put under its " + step + ": " + detail);
            default -> step(step, detail);
        };
    }

    private static SandboxException step(String step, String detail) {
        return new SandboxException(Code.SANDBOX_UNAVAILABLE, "set-up failed at " + step + ": " + detail);
    }

    static SandboxException ofExec(String errno, String command) {
        return switch (errno) {
            case "ENOENT" ->
                new SandboxException(Code.COMMAND_NOT_FOUND, "inside the wall there is no command " + command);
            case "E2BIG" -> new SandboxException(Code.REQUEST_TOO_LARGE, "the command line is too long");
            default ->
                new SandboxException(
                        Code.COMMAND_NOT_EXECUTABLE, "inside the wall " + command + " cannot be executed: " + errno);
        };
    }

    /** The remedy for common reasons why a host refuses a wall; empty if unknown. */
    static String mend(String complaint) {
        if (complaint.contains("setting up uid map") || complaint.contains("RTM_NEWADDR")) {
            return ". Ubuntu 24.04 and later restrict user namespaces: give bwrap an AppArmor profile that allows "
                    + "userns, or set sysctl kernel.apparmor_restrict_unprivileged_userns=0";
        }
        if (complaint.contains("o permissions to create new namespace")
                || complaint.contains("Creating new namespace failed")) {
            return ". User namespaces are off: set sysctl kernel.unprivileged_userns_clone=1 and "
                    + "user.max_user_namespaces above 0; in Docker use --security-opt seccomp=unconfined";
        }
        if (complaint.contains("Can't mount proc")) {
            return ". This container hides parts of /proc, so no new /proc can be mounted: in Docker use "
                    + "--security-opt systempaths=unconfined";
        }
        if (complaint.contains(": a user namespace of its own")) {
            return ". This host lets no user namespace be made in another one, which a second kernel needs: give bwrap an AppArmor profile"
                    + " that allows it, or set sysctl user.max_user_namespaces higher";
        }
        if (complaint.contains("nknown option")) return ". This bubblewrap is too old: 0.8.0 or later is needed";
        if (complaint.contains("Can't find source path")) {
            return ". The path must exist, and every folder above it must be open to the worker's user";
        }
        return "";
    }
}
