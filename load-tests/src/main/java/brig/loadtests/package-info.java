/**
 * Programs that put the installed product under load and measure it from outside, as its clients see it. They
 * use the protocol and nothing of the gateway.
 */
@NullMarked
package brig.loadtests;

import org.jspecify.annotations.NullMarked;
