package brig.protocol.api;

import brig.protocol.control.AgentOffer;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import java.util.Map;

/**
 * An agent profile and how many spawns of it are in which state.
 *
 * @param spawns the number of spawns by state; empty states are left out
 */
@Extensible
public record AgentUse(@Flat AgentOffer agent, Map<String, Integer> spawns) {}
