/**
 * The parts of an adapter: it turns the output of an agent's pipes into frames, and captains' messages into the agent's
 * input.
 *
 * <p>More than 14 classes: all formats share the parts for dialogues, tool calls and sub-agents.
 */
@NullMarked
package brig.formats.adapter;

import org.jspecify.annotations.NullMarked;
