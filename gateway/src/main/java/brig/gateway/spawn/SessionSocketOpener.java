package brig.gateway.spawn;

import java.util.concurrent.CompletionStage;

/** Opens the session socket of each spawn. */
public interface SessionSocketOpener {
    /** Opens it before the worker is requested. Completes with the path of the socket; fails with a BrigException. */
    CompletionStage<String> open(Spawn spawn);

    /** The path of the socket for a spawn with these names. */
    String pathOf(String spawnId, String taskId);

    /** Opens the socket of a spawn that ended while no process listened, for as long as sockets stay after an end. */
    void linger(Spawn spawn);

    /** Closes it, because the spawn has ended or never began. Connections stay until they have every frame. */
    void close(Spawn spawn);
}
