package brig.workeragent.egress;

import brig.egress.audit.AuditFiles;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import java.io.IOException;
import java.nio.file.Path;

/** Reads the audit for those who ask, whether a brig-egress runs or not. */
final class AuditReader {
    private final AuditFiles files;

    AuditReader(Path folder) {
        this.files = new AuditFiles(folder);
    }

    /** Lines behind a position, as {@link AuditFiles#read}. @throws BrigException {@code RECORD_LOST} */
    AuditFiles.Part read(String position, int bytesMax) {
        try {
            return files.read(position, bytesMax);
        } catch (IOException e) {
            throw new BrigException(ErrorCode.RECORD_LOST, "the audit cannot be read: " + Reason.withFile(e));
        }
    }
}
