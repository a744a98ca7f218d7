/** Countable limits and the leases taken from them. */
@NullMarked
package brig.gateway.limits;

import org.jspecify.annotations.NullMarked;
