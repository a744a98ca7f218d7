/** Persistent home folders of agents. */
@NullMarked
package brig.workeragent.home;

import org.jspecify.annotations.NullMarked;
