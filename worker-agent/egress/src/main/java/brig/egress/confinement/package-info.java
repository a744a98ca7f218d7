/** How brig-egress confines itself at its start, and measures the result. */
@NullMarked
package brig.egress.confinement;

import org.jspecify.annotations.NullMarked;
