package brig.workeragent.egress.confinement;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.io.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;

/**
 * The files of {@code /etc} that configure name resolution, copied into a folder that brig-egress sees. The host
 * replaces such files while it runs, and a mount of a single file would stay stale.
 */
public final class NameFiles {
    static final List<String> NAMES = List.of("resolv.conf", "hosts", "host.conf", "gai.conf", "nsswitch.conf");
    private static final String SWITCH = "nsswitch.conf";
    /** Other sources need Unix sockets, which brig-egress cannot create. */
    private static final byte[] SWITCHED = "hosts: files dns\n".getBytes(UTF_8);

    private final Path host;
    private final Path folder;

    /** @param host the host's {@code /etc} */
    public NameFiles(Path host, Path folder) {
        this.host = host;
        this.folder = folder;
    }

    Path folder() {
        return folder;
    }

    /** Updates the copies. */
    public void refresh() throws IOException {
        Files.createDirectories(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        for (String name : NAMES) {
            Path of = host.resolve(name);
            byte[] now =
                    name.equals(SWITCH) ? SWITCHED : Files.isRegularFile(of) ? Files.readAllBytes(of) : new byte[0];
            Path copy = folder.resolve(name);
            if (!Files.exists(copy) || !Arrays.equals(now, Files.readAllBytes(copy))) {
                WholeFile.write(copy, now, "rw-r--r--");
            }
        }
    }
}
