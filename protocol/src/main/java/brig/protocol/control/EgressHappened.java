package brig.protocol.control;

import brig.protocol.egress.EgressEvent;
import brig.protocol.record.Extensible;

/** An event of a worker's network, told to the gateway by the worker-agent that serves it. */
@Extensible
public record EgressHappened(String spawnId, EgressEvent event) {}
