package brig.workeragent.sandbox;

import brig.workeragent.sandbox.SandboxException.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The host user of workers. A wall built by root keeps host uid 0 inside and can write kernel settings (measured:
 * core_pattern), so root must switch workers to an unused uid. Without root it is the own uid, and only the wall
 * separates.
 *
 * <p>Decision 0010.
 *
 * @param uid      host user id, also used as group id when it is switched to
 * @param switched whether launching changes to it
 */
public record WorkerIdentity(int uid, int gid, boolean switched) {

    /** Outside of the ranges that systems use for people, services, and subordinate ids. */
    public static final int DEFAULT_UID = 59617;

    private static final Path PASSWD = Path.of("/etc/passwd");

    /**
     * The identity to use on this host.
     *
     * @param uidForRoot the uid to switch to if this process is root; 1 to 2147483646
     */
    public static WorkerIdentity ofHost(int uidForRoot) throws SandboxException {
        int ownUid = ownId("unix:uid");
        if (ownUid != 0) return new WorkerIdentity(ownUid, ownId("unix:gid"), false);
        checkMeansNothing(uidForRoot, PASSWD);
        return new WorkerIdentity(uidForRoot, uidForRoot, true);
    }

    /** For the operator: resources counted per user that no wall can limit, and who is affected. */
    String sharedCounts() {
        return "descriptors in flight between processes, watches of epoll and pages of pipes are counted for uid " + uid
                + ": a worker that takes them all leaves none to "
                + (switched ? "other workers" : "other workers and " + "to your own programs");
    }

    static void checkMeansNothing(int uid, Path passwd) throws SandboxException {
        if (uid <= 0 || uid == Integer.MAX_VALUE) throw refusal("worker uid " + uid + " is out of range");
        try {
            for (String line : Files.readAllLines(passwd)) {
                String[] fields = line.split(":", -1);
                if (fields.length > 2 && fields[2].equals(Integer.toString(uid))) {
                    throw refusal("worker uid " + uid + " belongs to the user " + fields[0]
                            + "; configure one that is in no line of " + passwd);
                }
            }
        } catch (IOException unreadable) {
            throw refusal("cannot read " + passwd + ", so it is not known whether uid " + uid + " is free");
        }
    }

    private static int ownId(String attribute) throws SandboxException {
        try {
            return (Integer) Files.getAttribute(Path.of("/proc/self"), attribute);
        } catch (IOException unreadable) {
            throw refusal("cannot read /proc/self: " + unreadable.getMessage());
        }
    }

    private static SandboxException refusal(String message) {
        return new SandboxException(Code.SANDBOX_UNAVAILABLE, message);
    }
}
