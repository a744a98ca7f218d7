/** The servers that are measured: Brig, and those that it is compared with where they are installed. */
@NullMarked
package brig.loadtests.peers;

import org.jspecify.annotations.NullMarked;
