package brig.protocol.api;

import brig.protocol.control.AgentOffer;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import java.util.Map;

/**
 * An agent profile, and what became of the spawns that asked for it.
 *
 * @param spawns how many of them are in each state that any is in
 */
@Extensible
public record AgentUse(@Flat AgentOffer agent, Map<String, Integer> spawns) {}
