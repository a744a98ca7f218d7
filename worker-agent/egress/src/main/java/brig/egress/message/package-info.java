/** The messages between the worker-agent and brig-egress. */
@NullMarked
package brig.egress.message;

import org.jspecify.annotations.NullMarked;
