/**
 * One adapter per native format of an agent: what its pipes carry becomes frames, what the captain says
 * becomes its input.
 *
 * <p>More than 14 classes: all formats share the parts of a dialogue, of tool calls and of sub-agents.
 */
@NullMarked
package brig.formats.adapter;

import org.jspecify.annotations.NullMarked;
