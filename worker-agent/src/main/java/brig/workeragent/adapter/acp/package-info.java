/** Agents that speak the Agent Client Protocol, and what OpenCode tells beside it. */
@NullMarked
package brig.workeragent.adapter.acp;

import org.jspecify.annotations.NullMarked;
