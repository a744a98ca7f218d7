package brig.gateway.joint;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** The way to the far end of a joint: a program of this host, or a connection. Reading and writing may block. */
public interface FarEnd {
    InputStream input();

    OutputStream output();

    /** Ends it, whatever is under way. */
    void close();

    /** Why it ended, as far as it says so; empty for nothing. It may take a moment. */
    String lastWords();

    /** Makes one. */
    @FunctionalInterface
    interface Opener {
        FarEnd open() throws IOException;
    }
}
