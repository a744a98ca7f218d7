package brig.workeragent.tunnel;

import brig.workeragent.tunnel.commands.TunnelCommands;
import brig.workeragent.tunnel.files.RemoteFolder;
import java.nio.file.Path;

/**
 * The files and the commands of one session on one other host.
 *
 * @param inside the path of the folder for the agent
 */
record TunnelHost(String name, RemoteFolder folder, Path inside, TunnelCommands commands) implements AutoCloseable {
    /** The folder as people name it. */
    String shown() {
        return name + ":" + folder.farPath();
    }

    @Override
    public void close() {
        commands.close();
        folder.close();
    }
}
