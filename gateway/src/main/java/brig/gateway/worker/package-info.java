/** The connections to the worker-agent: one for control, one for each worker's frames. */
@NullMarked
package brig.gateway.worker;

import org.jspecify.annotations.NullMarked;
