/**
 * The hosts that a gateway reaches by {@code ssh}, and the link to each. Programs run on virtual threads; what they said
 * comes back to the event loop, which owns all state.
 */
@NullMarked
package brig.gateway.host;

import org.jspecify.annotations.NullMarked;
