/** What brig-egress does to itself at its start, and what it finds when it looks at itself. */
@NullMarked
package brig.egress.confinement;

import org.jspecify.annotations.NullMarked;
