/**
 * The native formats of agents, by name: adapters for agents that Brig starts, and readers of output and session files
 * of other agents.
 */
@NullMarked
package brig.formats;

import org.jspecify.annotations.NullMarked;
