package brig.workeragent.pump;

import java.io.IOException;

/**
 * The files of one worker, named by numbers. No file stays open between two calls, so the number of files is not
 * limited by that of descriptors.
 */
interface SpillFiles {
    /** Writes at a place in a file; at 0 the file is made anew. */
    void write(long name, long at, byte[] bytes, int length) throws IOException;

    /** Reads so many bytes from a place in a file, into the beginning of the array. */
    void read(long name, long at, byte[] into, int length) throws IOException;

    void delete(long name) throws IOException;

    /** Removes all that is left. */
    void deleteAll() throws IOException;
}
