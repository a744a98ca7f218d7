/**
 * The life of spawns: requests, limits, states, recovery after a restart.
 *
 * <p>More than 14 classes: the state machine keeps its transitions, its views and its recovery package-private.
 */
@NullMarked
package brig.gateway.spawn;

import org.jspecify.annotations.NullMarked;
