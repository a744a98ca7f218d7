package brig.egress.confinement;

import brig.seccomp.HelperFilter;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The filter that this process gives itself, for good and on all of its threads. A small library calls the kernel: the
 * JDK's own way to foreign functions costs a start 180 ms here, and the library less than one.
 */
public final class SystemCallFilter {
    private SystemCallFilter() {}

    /** Nothing is executed and no socket but one of the Internet is made in this process any more. */
    @SuppressWarnings("restricted") // A library of our own.
    public static void install(Path library) throws IOException {
        try {
            System.load(library.toString());
            int error = install(HelperFilter.ofHost());
            if (error != 0) {
                throw new IOException("the kernel takes no filter of system calls: error " + error);
            }
        } catch (UnsatisfiedLinkError | IllegalStateException e) {
            throw new IOException("no filter of system calls", e);
        }
    }

    private static native int install(byte[] program);
}
