/**
 * One adapter per native format of an agent: what its pipes carry becomes frames, what the captain says
 * becomes its input.
 */
@NullMarked
package brig.formats.adapter;

import org.jspecify.annotations.NullMarked;
