/** HTTP requests without a connection: their heads, where they go, and what a client is told that is refused. */
@NullMarked
package brig.egress.http;

import org.jspecify.annotations.NullMarked;
