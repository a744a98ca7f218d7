package brig.gateway.provider;

import brig.gateway.deploy.Processes;
import brig.gateway.joint.FarEnd;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A service that makes sandboxes. Results complete on the event loop. They fail with a {@link ProviderFailure}, which says
 * whether the call may have had an effect.
 */
public interface Provider extends AutoCloseable {
    Capabilities capabilities();

    /**
     * Makes a sandbox. It may be {@code PENDING} yet. Never tries again by itself: whoever calls knows whether that is safe.
     */
    CompletionStage<Sandbox> create(Order order);

    /**
     * Does for a sandbox whatever {@link #create} does besides making it, as closing its network. For one that was found
     * after the answer of its create was lost; to do it twice changes nothing.
     */
    CompletionStage<Sandbox> finish(Sandbox sandbox, Order order);

    /** The sandbox of that name; null if there is none, or none that the provider shows yet: see {@link Capabilities#lagMs}. */
    CompletionStage<@Nullable Sandbox> find(String name);

    /** All whose names begin so, whoever made them. */
    CompletionStage<List<Sandbox>> list(String prefix);

    /** Ends a sandbox and all in it; also completes if there is none. */
    CompletionStage<Void> destroy(Sandbox sandbox);

    /**
     * Runs a program in a sandbox, as an ordinary user whose home can be written.
     *
     * @param input for its standard input; null for none
     * @param listener is told on the event loop; a program that could not be started has {@link Processes#NOT_STARTED}
     */
    Processes.Running run(
            Sandbox sandbox, List<String> command, Processes.@Nullable Input input, Processes.Listener listener);

    /**
     * Connects to a server in a sandbox that upgrades {@code GET path} to a stream of bytes. May block; not for the event
     * loop.
     *
     * @param headers of the request
     */
    FarEnd.Opener dial(Sandbox sandbox, int port, String path, Map<String, String> headers);

    /** Stops all programs, and what they cost; to do it twice changes nothing. {@link Capabilities#pause} */
    CompletionStage<Void> pause(Sandbox sandbox);

    /** Lets all programs go on; to do it twice changes nothing. {@link Capabilities#pause} */
    CompletionStage<Void> resume(Sandbox sandbox);

    @Override
    void close();

    /**
     * What a provider can do.
     *
     * @param uniqueNames whether a second sandbox of one name is refused, so that to create again is safe; it also finishes
     *     what a create began whose answer was lost
     * @param lagMs how long a new sandbox may be absent from what the provider shows
     * @param pause whether it pauses sandboxes
     * @param policy whether it can close the network of a sandbox
     * @param ownLifeMax whether it ends a sandbox by itself after a time
     */
    record Capabilities(boolean uniqueNames, long lagMs, boolean pause, boolean policy, boolean ownLifeMax) {}

    /**
     * A sandbox to make.
     *
     * @param labels spawn_id, request_id and gateway
     * @param lifeMaxMs after which it is to be gone
     * @param closed whether its network is to be closed, where the provider can do that
     */
    record Order(String name, Map<String, String> labels, long lifeMaxMs, boolean closed) {}
}
