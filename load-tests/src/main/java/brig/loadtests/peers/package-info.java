/** The measured servers: Brig, and installed peers for comparison. */
@NullMarked
package brig.loadtests.peers;

import org.jspecify.annotations.NullMarked;
