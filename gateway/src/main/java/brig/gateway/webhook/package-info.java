/** Tells a server of the operator what agents ask, and answers by one-time links. */
@NullMarked
package brig.gateway.webhook;

import org.jspecify.annotations.NullMarked;
