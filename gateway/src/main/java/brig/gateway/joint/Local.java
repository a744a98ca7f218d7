package brig.gateway.joint;

import java.io.IOException;

/** A connection of this host, as streams of bytes. Each method may block; {@link #close} ends all others. */
public interface Local {
    /** @return how many bytes were read; negative at the end */
    int read(byte[] into, int offset, int length) throws IOException;

    void write(byte[] from, int length) throws IOException;

    /** Nothing more is written. */
    void endOutput() throws IOException;

    void close();
}
