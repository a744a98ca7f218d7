package brig.egress.budget;

import brig.protocol.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;

/**
 * Writes the lines of a ledger. The kernel has a line when its method returns, so a process that is killed forgets
 * nothing. Owned by {@link Purses}.
 */
final class Ledger {
    private final LedgerFile file;
    private long bytes;
    /** Whether a part of a line may be the last that the file has. */
    private boolean torn;

    Ledger(LedgerFile file) {
        this.file = file;
    }

    /** The bytes that it wrote. */
    long bytes() {
        return bytes;
    }

    void write(LedgerLine line) throws IOException {
        write(List.of(line));
    }

    void write(List<? extends LedgerLine> lines) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        if (torn) {
            all.write('\n');
        }
        for (LedgerLine line : lines) {
            all.writeBytes(Json.writeLine((Record) line));
        }
        torn = true;
        file.write(all.toByteArray());
        torn = false;
        bytes += all.size();
    }

    void close() {
        file.close();
    }
}
