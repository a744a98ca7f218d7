/** Names: what a question from inside a wall is answered, which name an address stands for there, and where hosts are. */
@NullMarked
package brig.egress.dns;

import org.jspecify.annotations.NullMarked;
