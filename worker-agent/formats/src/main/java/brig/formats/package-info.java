/**
 * What is known of the native formats of agents, by name: adapters for agents that Brig starts, readers for
 * the output and the session files of agents that it did not start.
 */
@NullMarked
package brig.formats;

import org.jspecify.annotations.NullMarked;
