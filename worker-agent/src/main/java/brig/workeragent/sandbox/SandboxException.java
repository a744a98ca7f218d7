package brig.workeragent.sandbox;

/** An expected failure of the wall. The code tells the client what to do next; the message tells a person. */
public final class SandboxException extends Exception {

    private static final long serialVersionUID = 1L;

    /** What went wrong. */
    public enum Code {
        /** The command is not on the worker's PATH; correct the agent's profile. */
        COMMAND_NOT_FOUND,
        /** The command exists, but cannot be executed. */
        COMMAND_NOT_EXECUTABLE,
        /** This host cannot build the wall; the message says what to install or to change. */
        SANDBOX_UNAVAILABLE,
        /** The wall stands, but a property that it declares was not confirmed from inside; the message names it. */
        POSTURE_NOT_ENFORCED,
        /** The resource limits cannot be enforced. */
        LIMITS_UNAVAILABLE,
        /** brig-launcher ended; all its walls ended with it. A new launch starts a new one. */
        LAUNCHER_DIED,
        /** The wall did not stand within the start deadline, and was torn down. */
        START_TIMEOUT,
        /** The worker was killed before its command ran. */
        KILLED_AT_START,
        /** There is no such socket in the wall's network; the message says why. */
        PORT_UNAVAILABLE,
        /** No more walls fit; wait until one ends. */
        TOO_MANY_WALLS,
        /** Command line and environment are together larger than the launcher or the kernel takes. */
        REQUEST_TOO_LARGE,
        /** The workspace is not below a folder in which workspaces are allowed. */
        WORKSPACE_OUTSIDE_BASE,
        /** The workspace cannot be created, or the worker's user cannot get to it. */
        WORKSPACE_UNREACHABLE
    }

    private final Code code;

    SandboxException(Code code, String message) {
        super(message, null, false, false);
        this.code = code;
    }

    public Code code() {
        return code;
    }
}
