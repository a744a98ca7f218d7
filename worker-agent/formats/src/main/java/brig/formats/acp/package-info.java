/** Agents that speak the Agent Client Protocol, and what OpenCode tells beside it. */
@NullMarked
package brig.formats.acp;

import org.jspecify.annotations.NullMarked;
