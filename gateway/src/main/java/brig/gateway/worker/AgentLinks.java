package brig.gateway.worker;

import java.nio.file.Path;

/** Opens control links to worker-agents of other machines. */
public interface AgentLinks {
    /** A control link to that socket, which listens to {@code reach}. */
    AgentLink open(Path socket, Reach reach, ControlLink.Listener listener);

    /**
     * A worker-agent behind its control link.
     *
     * @param dropper ends the connection; another attempt follows
     * @param closer ends it for good
     */
    record AgentLink(WorkerAgent agent, Runnable dropper, Runnable closer) {}
}
