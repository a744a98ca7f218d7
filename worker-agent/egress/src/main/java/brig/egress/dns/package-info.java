/** Names inside a wall: what a question about one is answered, and which name an address stands for. */
@NullMarked
package brig.egress.dns;

import org.jspecify.annotations.NullMarked;
