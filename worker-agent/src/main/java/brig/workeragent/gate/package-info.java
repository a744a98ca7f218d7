/** Lets the gateway of a sandbox in, whose connections come through a provider and not over a socket of this machine. */
@NullMarked
package brig.workeragent.gate;

import org.jspecify.annotations.NullMarked;
