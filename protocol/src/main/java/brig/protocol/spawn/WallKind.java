package brig.protocol.spawn;

import java.util.Locale;

/** The kinds of walls, the weakest first; lower case in JSON. */
public enum WallKind {
    /** Namespaces, a filter of system calls and limits: the agent uses the host's kernel. */
    BWRAP,
    /** A second kernel behind that wall: the agent's system calls reach gVisor, not the host's kernel. */
    GVISOR,
    /** A virtual machine behind that wall: the agent uses a Linux of its own, on a processor of its own. */
    VM;

    /** As it is written in requests. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
