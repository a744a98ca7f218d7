/**
 * The {@code brig} command line. Every command except {@code serve} is a client of the spawner socket.
 *
 * <p>More than 14 classes: each command of the command line is one.
 */
@NullMarked
package brig.cli;

import org.jspecify.annotations.NullMarked;
