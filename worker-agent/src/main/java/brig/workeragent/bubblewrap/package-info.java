/** The walls of {@code brig.workeragent.wall}, built by {@code brig.workeragent.sandbox}. */
@NullMarked
package brig.workeragent.bubblewrap;

import org.jspecify.annotations.NullMarked;
