/** What the worker-agent and brig-egress have in common about the sockets of walls. */
@NullMarked
package brig.egress.link;

import org.jspecify.annotations.NullMarked;
