package brig.egress.message;

import brig.egress.link.WallSocket;
import brig.egress.policy.EgressPolicy;
import brig.protocol.record.Tagged;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A line to brig-egress. The first is {@code Configure}, and there is no other one. */
@Tagged("type")
public sealed interface EgressCommand {
    /**
     * What brig-egress cannot read itself.
     *
     * @param certificate of the authority, PEM
     * @param key of the authority, PEM
     * @param hosts addresses by name
     * @param extraRoots certificates that servers may have beside the usual ones, PEM
     * @param closed paths that it must not see
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
        /** Its name on this link. */
        String worker();
    }

    /**
     * A socket whose descriptor was sent before this line.
     *
     * @param port see {@link WallSocket}
     */
    record SentSocket(WallSocket.Role role, int port) {}

    /**
     * A worker whose sockets are to be answered.
     *
     * @param spawn its spawn id
     * @param agent the agent profile
     * @param placeholders by the secret's name
     * @param allowed hosts that a person allowed since the policy was written
     * @param revoked names of secrets that were taken back
     */
    record Register(
            String worker,
            String spawn,
            String agent,
            EgressPolicy policy,
            Map<String, String> placeholders,
            List<String> allowed,
            List<String> revoked,
            List<SentSocket> sockets)
            implements OfWorker {}

    /** The values of a worker's secrets as they are now, by name. */
    record Secrets(String worker, Map<String, String> values) implements OfWorker {}

    /** A further socket. */
    record Socket(String worker, SentSocket socket) implements OfWorker {}

    /** Another policy. */
    record Policy(String worker, EgressPolicy policy) implements OfWorker {}

    /** A person allows a host, for one request or for as long as the worker lives. */
    record Allow(String worker, String host, boolean once) implements OfWorker {}

    /** A person refuses a host: whoever waits for it is answered. */
    record Deny(String worker, String host) implements OfWorker {}

    /** A secret is taken back for good. */
    record Revoke(String worker, String secret) implements OfWorker {}

    /** The worker is gone; answered by {@link EgressReport.Unregistered}. */
    record Unregister(String worker) implements OfWorker {}

    /** Those of a list, without their descriptors. */
    static List<SentSocket> sent(Set<WallSocket> sockets) {
        return sockets.stream()
                .map(socket -> new SentSocket(socket.role(), socket.port()))
                .toList();
    }
}
