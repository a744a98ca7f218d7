/** The audit of network requests: its files and their reader. */
@NullMarked
package brig.egress.audit;

import org.jspecify.annotations.NullMarked;
