/** The sockets of walls, for the worker-agent and brig-egress. */
@NullMarked
package brig.egress.link;

import org.jspecify.annotations.NullMarked;
