/** HTTP semantics without connections: heads, targets, and texts of refusals. */
@NullMarked
package brig.egress.http;

import org.jspecify.annotations.NullMarked;
