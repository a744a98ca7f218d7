package brig.workeragent.handover;

import brig.egress.policy.EgressPolicy;
import brig.egress.secret.SecretFeed;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.NewestMap;
import brig.protocol.control.TransferRequest;
import brig.protocol.json.Json;
import brig.protocol.spawn.SpawnRequest;
import brig.workeragent.profile.AgentProfiles;
import brig.workeragent.profile.Policies;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands over what a worker on another host needs, from the files and the secrets of this one. Thread-safe; the sources of
 * secrets may block.
 *
 * <p>Decision 0169.
 */
public final class Handovers {
    /** @param feeds a new reader of secrets */
    public record Services(AgentProfiles profiles, Policies policies, Supplier<SecretFeed> feeds) {}

    private static final Logger LOG = LoggerFactory.getLogger(Handovers.class);
    private static final int FEEDS_MAX = 1024;

    private final Services parts;
    private final ReentrantLock lock = new ReentrantLock();
    /** By spawn id, so that commands do not run at each handover. Guarded by the lock. */
    private final Map<String, SecretFeed> feeds = new NewestMap<>(FEEDS_MAX);

    public Handovers(Services parts) {
        this.parts = parts;
    }

    /** @throws BrigException a refusal, as that of a spawn on this host */
    public void check(SpawnRequest request) {
        choose(request);
    }

    private record Choice(AgentProfiles.Named agent, Policies.Chosen policy) {}

    private Choice choose(SpawnRequest asked) {
        AgentProfiles.Named agent = parts.profiles().named(asked.agent());
        SpawnRequest request = agent.told(asked);
        Policies.Chosen policy = parts.policies().choose(request.policy(), agent.profile());
        return new Choice(agent.signedIn(policy.policy().egress()), policy);
    }

    /**
     * A {@link Handover}, for the worker-agent of another host.
     *
     * @throws BrigException as {@link #check}
     */
    public byte[] give(TransferRequest.HandOver asked) {
        Choice choice = choose(asked.request());
        AgentProfiles.Named agent = choice.agent();
        EgressPolicy egress = asked.network() ? choice.policy().policy().egress() : EgressPolicy.NONE;
        byte[] bytes = Json.write(new Handover(
                agent.name(),
                agent.profile(),
                agent.usualModel(),
                agent.files() != null,
                choice.policy().name(),
                choice.policy().policy().with(egress.withoutSources()),
                egress.isOpen() ? values(asked.spawnId(), egress) : Map.of()));
        if (bytes.length > TransferRequest.HANDOVER_BYTES_MAX) {
            throw new BrigException(
                    ErrorCode.INVALID_POLICY,
                    "the profile '" + agent.name() + "' and the policy '"
                            + choice.policy().name() + "' are too large for another host");
        }
        return bytes;
    }

    private Map<String, String> values(String spawnId, EgressPolicy egress) {
        if (egress.secrets().isEmpty()) {
            return Map.of();
        }
        SecretFeed feed;
        lock.lock();
        try {
            if (!feeds.containsKey(spawnId)) {
                LOG.info(
                        "the host of a worker gets secrets {} spawn_id={}",
                        egress.secrets().keySet(),
                        spawnId);
                feeds.put(spawnId, parts.feeds().get());
            }
            feed = feeds.get(spawnId);
        } finally {
            lock.unlock();
        }
        return feed.read(egress);
    }
}
