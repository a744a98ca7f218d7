/** {@code brig attach --tty}: the terminal of an agent on the terminal of a person. */
@NullMarked
package brig.cli.tty;

import org.jspecify.annotations.NullMarked;
