/** Terminal output of the CLI. It escapes control characters, so that agents' output cannot control the terminal. */
@NullMarked
package brig.cli.terminal;

import org.jspecify.annotations.NullMarked;
