package brig.workeragent.egress;

import brig.egress.link.WallSocket;
import brig.egress.policy.EgressPolicy;
import brig.egress.secret.SecretFeed;
import brig.workeragent.wall.EgressGate;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The sockets of one process of a worker. Owned by the thread that talks to brig-egress. */
final class SocketRegistration {
    final String id;
    final EgressGate.Registration what;
    final Set<WallSocket> more = new LinkedHashSet<>();
    final SecretFeed secrets;
    EgressPolicy policy;
    /** As they were read last; null before. */
    @Nullable
    Map<String, String> values;

    boolean reading;

    SocketRegistration(String id, EgressGate.Registration what, SecretFeed secrets) {
        this.id = id;
        this.what = what;
        this.secrets = secrets;
        this.policy = what.policy();
    }
}
