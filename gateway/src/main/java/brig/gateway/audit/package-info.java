/** The audit of network requests, as clients ask for it. */
@NullMarked
package brig.gateway.audit;

import org.jspecify.annotations.NullMarked;
