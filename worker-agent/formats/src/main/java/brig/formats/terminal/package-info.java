/**
 * Terminals of agents: the model that knows what is on the screen, and the filter for terminals of persons.
 *
 * <p>More than 14 classes: a terminal is one thing, and nothing outside needs its parts.
 *
 * <p>Decision 0185.
 */
@NullMarked
package brig.formats.terminal;

import org.jspecify.annotations.NullMarked;
