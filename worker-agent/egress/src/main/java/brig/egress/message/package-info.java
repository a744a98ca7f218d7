/** The lines between the worker-agent and brig-egress, both ways. */
@NullMarked
package brig.egress.message;

import org.jspecify.annotations.NullMarked;
