/**
 * Load tests: programs that put the installed product under load and measure it from outside. They use its protocol,
 * but none of the gateway's code.
 *
 * <p>More than 14 classes: each command is one.
 */
@NullMarked
package brig.loadtests;

import org.jspecify.annotations.NullMarked;
