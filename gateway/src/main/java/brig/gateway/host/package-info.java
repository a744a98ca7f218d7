/**
 * The hosts that a gateway reaches by {@code ssh}, and the link to each. Programs run on virtual threads; what they said
 * comes back to the event loop, which owns all state.
 *
 * <p>More than 14 classes: what touches processes, sockets and files is behind an interface each, so that the states of a
 * link are tested without.
 */
@NullMarked
package brig.gateway.host;

import org.jspecify.annotations.NullMarked;
