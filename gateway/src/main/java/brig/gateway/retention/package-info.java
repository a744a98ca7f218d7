/** What stays of spawns that have ended, and for how long. */
@NullMarked
package brig.gateway.retention;

import org.jspecify.annotations.NullMarked;
