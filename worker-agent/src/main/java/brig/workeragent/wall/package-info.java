/**
 * The wall as an interface for workers, so that their life cycle is tested without processes and does not depend on the
 * wall's technique.
 *
 * <p>More than 14 classes: it is an interface whose parts are mostly records.
 */
@NullMarked
package brig.workeragent.wall;

import org.jspecify.annotations.NullMarked;
