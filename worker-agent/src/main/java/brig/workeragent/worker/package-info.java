/**
 * The life of a worker: {@link brig.workeragent.worker.Worker} is one, {@link
 * brig.workeragent.worker.Workers} knows them all. Nothing here knows what a socket is or what a wall is made
 * of.
 *
 * <p>More than 14 classes: the life of a worker keeps its parts package-private.
 */
@NullMarked
package brig.workeragent.worker;

import org.jspecify.annotations.NullMarked;
