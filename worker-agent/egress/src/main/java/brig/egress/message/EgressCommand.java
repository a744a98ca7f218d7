package brig.egress.message;

import brig.egress.link.WallSocket;
import brig.egress.policy.EgressPolicy;
import brig.protocol.record.Tagged;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A line to brig-egress. The first one, and only that, is {@code Configure}. */
@Tagged("type")
public sealed interface EgressCommand {
    /**
     * Files and settings that brig-egress cannot read itself.
     *
     * @param certificate the authority's certificate, PEM
     * @param key the authority's key, PEM
     * @param hosts addresses by name
     * @param extraRoots additional root certificates for servers, PEM
     * @param closed paths that must be invisible to it
     */
    record Configure(
            String certificate,
            String key,
            Map<String, List<String>> hosts,
            List<String> extraRoots,
            List<String> closed)
            implements EgressCommand {}

    /** A command about one worker. */
    sealed interface OfWorker extends EgressCommand {
        /** The worker's name on this link. */
        String worker();
    }

    /**
     * A socket whose descriptor was sent before this line.
     *
     * @param port as in {@link WallSocket}
     */
    record SentSocket(WallSocket.Role role, int port) {}

    /**
     * Registers a worker, whose sockets are then served.
     *
     * @param spawn the spawn id
     * @param agent the agent profile
     * @param placeholders placeholders by the secret's name
     * @param allowed hosts that a person allowed since the policy was written
     * @param allowedOnce hosts that a person allowed for one request while no brig-egress ran
     * @param revoked names of revoked secrets
     */
    record Register(
            String worker,
            String spawn,
            String agent,
            EgressPolicy policy,
            Map<String, String> placeholders,
            List<String> allowed,
            List<String> allowedOnce,
            List<String> revoked,
            List<SentSocket> sockets)
            implements OfWorker {}

    /** The current values of a worker's secrets, by name. */
    record Secrets(String worker, Map<String, String> values) implements OfWorker {}

    /** Adds a socket. */
    record Socket(String worker, SentSocket socket) implements OfWorker {}

    /** Replaces the policy. */
    record Policy(String worker, EgressPolicy policy) implements OfWorker {}

    /** A person allows a host, for one request or for the worker's life. */
    record Allow(String worker, String host, boolean once) implements OfWorker {}

    /** Refuses the requests that wait for a host; {@code rule} says why. */
    record Deny(String worker, String host, String rule) implements OfWorker {}

    /** Revokes a secret permanently. */
    record Revoke(String worker, String secret) implements OfWorker {}

    /** The worker ended; answered by {@link EgressReport.Unregistered}. */
    record Unregister(String worker) implements OfWorker {}

    /** The sockets without their descriptors. */
    static List<SentSocket> sent(Set<WallSocket> sockets) {
        return sockets.stream()
                .map(socket -> new SentSocket(socket.role(), socket.port()))
                .toList();
    }
}
