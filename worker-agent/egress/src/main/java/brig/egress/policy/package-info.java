/** What of the outside a worker may reach: the {@code egress} object of a policy, and what follows from it. */
@NullMarked
package brig.egress.policy;

import org.jspecify.annotations.NullMarked;
