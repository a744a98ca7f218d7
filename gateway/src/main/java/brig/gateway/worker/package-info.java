/**
 * The connections to the worker-agent: one for control, one for each worker's frames.
 *
 * <p>More than 14 classes: a worker-agent is behind an interface for each way to reach it.
 */
@NullMarked
package brig.gateway.worker;

import org.jspecify.annotations.NullMarked;
