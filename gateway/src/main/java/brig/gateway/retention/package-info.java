/** Retention of ended spawns. */
@NullMarked
package brig.gateway.retention;

import org.jspecify.annotations.NullMarked;
