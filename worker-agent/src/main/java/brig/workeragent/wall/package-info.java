/**
 * What a worker needs of the wall, as a port: its life is tested without processes, and does not know what
 * the wall is made of.
 *
 * <p>More than 14 classes: it is a port, whose parts are mostly records.
 */
@NullMarked
package brig.workeragent.wall;

import org.jspecify.annotations.NullMarked;
