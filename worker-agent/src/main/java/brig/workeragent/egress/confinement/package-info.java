/**
 * How brig-egress is kept from everything but its work: the command that starts it with nothing in sight, the filter that
 * it gives itself, and what it finds when it looks at itself.
 */
@NullMarked
package brig.workeragent.egress.confinement;

import org.jspecify.annotations.NullMarked;
