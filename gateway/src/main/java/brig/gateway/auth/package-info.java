/** Who a client is and what it may do: roles, tokens, tickets. */
@NullMarked
package brig.gateway.auth;

import org.jspecify.annotations.NullMarked;
