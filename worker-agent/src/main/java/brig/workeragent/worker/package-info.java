/**
 * The life cycle of workers: {@link brig.workeragent.worker.Worker} is one, {@link brig.workeragent.worker.Workers}
 * manages all. It depends neither on sockets nor on how walls are built.
 *
 * <p>More than 14 classes: the life of a worker keeps its parts package-private.
 */
@NullMarked
package brig.workeragent.worker;

import org.jspecify.annotations.NullMarked;
