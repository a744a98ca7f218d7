package brig.workeragent.egress;

import brig.egress.link.WallSocket;
import brig.egress.policy.EgressPolicy;
import brig.protocol.BrigException;
import brig.workeragent.wall.EgressGate;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sockets of one process of a worker. Owned by the thread of {@link EgressThread}. */
final class SocketRegistration {
    private static final Logger LOG = LoggerFactory.getLogger(SocketRegistration.class);

    final String id;
    final EgressGate.Registration what;
    final Set<WallSocket> more = new LinkedHashSet<>();
    /** Reads the current values. Blocks. */
    final Function<EgressPolicy, Map<String, String>> secrets;

    EgressPolicy policy;
    /** The last read values; null before the first read. */
    @Nullable
    Map<String, String> values;

    /** The secrets whose login a person is asked about, as they were last sent. */
    List<String> asked = List.of();

    boolean reading;
    /** Whether brig-egress waits for the values, even if they stay the same. */
    boolean owed;

    /** How many requests began to wait for a login, and for how many of them the values were read. */
    int heard;

    int answered;

    /** How often values were sent to the running brig-egress. */
    int changes;

    private SocketRegistration(
            String id, EgressGate.Registration what, Function<EgressPolicy, Map<String, String>> secrets) {
        this.id = id;
        this.what = what;
        this.secrets = secrets;
        this.policy = what.policy();
    }

    /** @param number distinguishes it from others of this run */
    static SocketRegistration of(
            EgressGate.Registration what, long number, Function<EgressPolicy, Map<String, String>> secrets) {
        return new SocketRegistration(what.spawnId() + "#" + number, what, secrets);
    }

    /** The spawn id in a registration's id; other text is returned unchanged. */
    static String spawnOf(String id) {
        return id.split("#", 2)[0];
    }

    /** The current policy; one that became invalid allows nothing. */
    EgressPolicy policyNow(EgressSession session) {
        try {
            return session.source.policy().get();
        } catch (BrigException e) {
            if (!policy.equals(EgressPolicy.NONE)) {
                LOG.error(
                        "the policy of a running worker is invalid and allows nothing now spawn_id={}: {}",
                        what.spawnId(),
                        e.getMessage());
            }
            return EgressPolicy.NONE;
        }
    }
}
