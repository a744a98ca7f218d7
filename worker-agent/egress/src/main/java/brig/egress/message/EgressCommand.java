package brig.egress.message;

import brig.egress.budget.CallBounds;
import brig.egress.budget.LedgerLine;
import brig.egress.budget.PurseSpec;
import brig.egress.link.WallSocket;
import brig.egress.policy.EgressPolicy;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Tagged;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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
     * @param prices an operator's list, which counts before the one that comes with Brig; null for none
     * @param calls what counts as the most that a request to a model can come to
     */
    record Configure(
            String certificate,
            String key,
            Map<String, List<String>> hosts,
            List<String> extraRoots,
            List<String> closed,
            @Nullable String prices,
            CallBounds calls)
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
     * @param asksForLogins whether its requests wait for a login that the vendor refuses, while a person is asked
     * @param purses what its requests are charged to: its own purse first, and those of the sessions above
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
            boolean asksForLogins,
            @OmitEmpty List<PurseSpec> purses,
            List<SentSocket> sockets)
            implements OfWorker {}

    /**
     * The current values of a worker's secrets, by name.
     *
     * @param asked the secrets whose login a person is asked about: requests that need one wait
     * @param heard how many {@link EgressReport.LoginRefused} of the worker it answers
     */
    record Secrets(
            String worker,
            Map<String, String> values,
            @OmitEmpty List<String> asked,
            @OmitEmpty int heard) implements OfWorker {}

    /** Adds a socket. */
    record Socket(String worker, SentSocket socket) implements OfWorker {}

    /** What purses used up before this brig-egress began; precedes the first ledger. */
    record Spent(List<LedgerLine.Spent> spent) implements EgressCommand {}

    /**
     * Begins a ledger, whose descriptor was sent before this line.
     *
     * @param number distinguishes it from others
     */
    record Ledger(long number) implements EgressCommand {}

    /** Changes the limit of a purse. */
    record Limit(String purse, brig.egress.budget.Limit limit) implements EgressCommand {}

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
