/** Authentication and authorization of clients: roles, tokens, tickets. */
@NullMarked
package brig.gateway.auth;

import org.jspecify.annotations.NullMarked;
