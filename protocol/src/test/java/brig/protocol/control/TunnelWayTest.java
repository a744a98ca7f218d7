package brig.protocol.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.protocol.BrigException;
import java.util.List;
import org.junit.jupiter.api.Test;

class TunnelWayTest {
    @Test
    void shouldNeverLogInForAProgram() {
        List<String> command = new TunnelWay("/run/b%h/h/x.ctl", "ci@build1").sftpCommand();
        assertEquals(List.of("ssh", "-F", "none", "-S", "/run/b%%h/h/x.ctl"), command.subList(0, 5));
        assertEquals(List.of("-s", "--", "ci@build1", "sftp"), command.subList(command.size() - 4, command.size()));
        assertEquals(true, command.containsAll(List.of("ControlMaster=no", "ProxyCommand=false", "BatchMode=yes")));
    }

    @Test
    void shouldRefuseWhatSshWouldTakeForAnOption() {
        for (String target : List.of("", "-oProxyCommand=touch x", "a\nb")) {
            assertThrows(BrigException.class, () -> new TunnelWay("/run/x.ctl", target), target);
        }
        for (String path : List.of("x.ctl", "", "/run/\u0000")) {
            assertThrows(BrigException.class, () -> new TunnelWay(path, "build1"), path);
        }
    }
}
