/** Requests to servers that agents run inside their walls. */
@NullMarked
package brig.gateway.port;

import org.jspecify.annotations.NullMarked;
