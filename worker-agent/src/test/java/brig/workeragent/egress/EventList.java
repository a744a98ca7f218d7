package brig.workeragent.egress;

import brig.egress.policy.HostPattern;
import brig.protocol.BrigException;
import brig.protocol.control.EgressDecision;
import brig.protocol.egress.EgressEvent;
import brig.workeragent.worker.EgressSessions;
import java.util.Collection;

/** A worker that keeps the events of its egress. */
record EventList(Collection<EgressEvent> events) implements EgressSessions.Listener {
    @Override
    public void handleEvent(EgressEvent event) {
        events.add(event);
    }

    @Override
    public void handleDecided(HostPattern hosts, EgressDecision decision, EgressSessions.Person person) {}

    @Override
    public void handleFault(BrigException fault) {}
}
