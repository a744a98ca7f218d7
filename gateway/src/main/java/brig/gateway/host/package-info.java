/**
 * The hosts that a gateway reaches by {@code ssh}, and the link to each. The event loop owns all state.
 */
@NullMarked
package brig.gateway.host;

import org.jspecify.annotations.NullMarked;
