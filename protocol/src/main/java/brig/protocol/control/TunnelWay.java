package brig.protocol.control;

import brig.protocol.BrigException;
import java.util.ArrayList;
import java.util.List;

/**
 * The way to another host: the control socket of an {@code ssh} that is logged in there.
 *
 * @param controlPath absolute
 * @param target {@code user@host}, as that {@code ssh} was given it
 */
public record TunnelWay(String controlPath, String target) {
    public TunnelWay {
        if (!controlPath.startsWith("/") || controlPath.chars().anyMatch(Character::isISOControl)) {
            throw BrigException.invalid("control_path", "must be an absolute path");
        }
        if (target.isEmpty() || target.startsWith("-") || target.chars().anyMatch(Character::isISOControl)) {
            throw BrigException.invalid("target", "must be user@host");
        }
    }

    /** Joins standard input and output to the SFTP server there, without a login of its own. */
    public List<String> sftpCommand() {
        List<String> command = new ArrayList<>(List.of("ssh", "-F", "none", "-S", controlPath.replace("%", "%%")));
        command.addAll(List.of("-o", "ControlMaster=no", "-o", "ProxyCommand=false", "-o", "BatchMode=yes"));
        command.addAll(List.of("-s", "--", target, "sftp"));
        return List.copyOf(command);
    }
}
