package brig.workeragent.tunnel.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.workeragent.wall.WorkersUser;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SshfsTest {
    @Test
    void shouldNameThePackageThatIsMissing(@TempDir Path empty) {
        Sshfs sshfs = new Sshfs(new WorkersUser(1000, false), List.of(empty));
        BrigException refusal = assertThrows(BrigException.class, sshfs::check);
        assertEquals(ErrorCode.SANDBOX_UNAVAILABLE, refusal.code());
        assertTrue(refusal.getMessage().endsWith("apt install sshfs"), refusal.getMessage());
    }
}
