/** Images that are roots of walls: taken in, kept by their digests, lent to workers, swept. */
@NullMarked
package brig.workeragent.image;

import org.jspecify.annotations.NullMarked;
