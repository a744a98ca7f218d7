package brig.egress.budget;

import java.io.IOException;

/** The file of a ledger, to which bytes are added. */
public interface LedgerFile {
    /** Adds all these bytes, or fails after a part of them. */
    void write(byte[] bytes) throws IOException;

    void close();
}
