package brig.egress.confinement;

import brig.seccomp.HelperFilter;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The permanent system call filter of this process, on all its threads. A small library installs it: loading it takes
 * under 1 ms, where the JDK's foreign functions add 180 ms to the start.
 */
public final class SystemCallFilter {
    private SystemCallFilter() {}

    /** From now on this process can execute nothing and create no sockets but those of the Internet. */
    @SuppressWarnings("restricted") // A library of our own.
    public static void install(Path library) throws IOException {
        try {
            System.load(library.toString());
            int error = install(HelperFilter.ofHost());
            if (error != 0) {
                throw new IOException("the kernel refuses the system call filter: error " + error);
            }
        } catch (UnsatisfiedLinkError | IllegalStateException e) {
            throw new IOException("cannot install the system call filter", e);
        }
    }

    private static native int install(byte[] program);
}
