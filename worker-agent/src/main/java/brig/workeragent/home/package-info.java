/** Home folders of agents, which stay from one session to the next. */
@NullMarked
package brig.workeragent.home;

import org.jspecify.annotations.NullMarked;
