/** The {@code brig} command line. Everything but {@code serve} is a client of the spawner socket. */
@NullMarked
package brig.cli;

import org.jspecify.annotations.NullMarked;
