package brig.gateway.spawn;

import java.util.concurrent.CompletionStage;

/** Opens the session socket of each spawn. */
public interface SessionSocketOpener {
    /** Opens it, before the worker is asked for. Completes with the path of the socket; fails with a BrigException. */
    CompletionStage<String> open(Spawn spawn);

    /** The path of the socket that is opened for a spawn of these names. */
    String pathOf(String spawnId, String taskId);

    /** The spawn ended while no process listened: opens it for as long as that of a spawn which ends now stays. */
    void linger(Spawn spawn);

    /** Closes it; the spawn has ended or never began. Connections stay until they have every frame. */
    void close(Spawn spawn);
}
