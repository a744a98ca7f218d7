package brig.workeragent.egress;

import brig.egress.audit.AuditLog;
import brig.egress.tls.CertificateAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.List;

/** State that outlives a run of brig-egress. Only the worker-agent accesses these files. */
record EgressState(CertificateAuthority authority, AuditLog audit) {

    static EgressState open(EgressProcess.Services setup, Clock clock) throws IOException {
        EgressConfig config = setup.config();
        for (Path folder : List.of(setup.socketFolder(), setup.stateDir())) {
            Files.createDirectories(folder);
        }
        Files.setPosixFilePermissions(setup.socketFolder(), PosixFilePermissions.fromString("rwx------"));
        // The users of walls can reach the certificate by its name.
        Files.setPosixFilePermissions(setup.stateDir(), PosixFilePermissions.fromString("rwx--x--x"));
        AuditLog.Bounds bounds =
                new AuditLog.Bounds(config.auditFileBytesMax(), config.auditFilesMax(), config.auditKeepMs());
        return new EgressState(
                CertificateAuthority.open(setup.stateDir(), clock.instant()),
                AuditLog.open(setup.auditFolder(), bounds, clock));
    }
}
