/** The way from the command line to a person's eyes: nothing that an agent wrote commands the terminal. */
@NullMarked
package brig.cli.terminal;

import org.jspecify.annotations.NullMarked;
