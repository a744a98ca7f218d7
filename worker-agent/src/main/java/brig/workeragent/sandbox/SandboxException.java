package brig.workeragent.sandbox;

/** An expected failure of the wall. The code tells clients what to do; the message is for people. */
public final class SandboxException extends Exception {

    private static final long serialVersionUID = 1L;

    /** The kind of failure. */
    public enum Code {
        /** The command is not on the worker's PATH; correct the agent's profile. */
        COMMAND_NOT_FOUND,
        /** The command exists, but cannot be executed. */
        COMMAND_NOT_EXECUTABLE,
        /** This host cannot build the wall; the message says what to install or to change. */
        SANDBOX_UNAVAILABLE,
        /** This host has no wall of the wanted kind; the message says what to install. */
        WALL_UNAVAILABLE,
        /** The wall was built, but a declared property was not confirmed from inside; the message names it. */
        POSTURE_NOT_ENFORCED,
        /** The resource limits cannot be enforced. */
        LIMITS_UNAVAILABLE,
        /** brig-launcher ended, and all its walls with it. The next launch starts a new one. */
        LAUNCHER_DIED,
        /** The first process of the wall was killed; another one may serve. */
        SPARE_ENDED,
        /** The wall was not ready within the start deadline, and was torn down. */
        START_TIMEOUT,
        /** The worker was killed before its command ran. */
        KILLED_AT_START,
        /** The wall's network has no such socket; the message says why. */
        PORT_UNAVAILABLE,
        /** The maximum number of walls is reached; wait until one ends. */
        TOO_MANY_WALLS,
        /** Command line and environment together exceed the limit of the launcher or the kernel. */
        REQUEST_TOO_LARGE,
        /** The workspace is not below an allowed folder. */
        WORKSPACE_OUTSIDE_BASE,
        /** The workspace cannot be created, or the worker's user cannot reach it. */
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
