/** An agent without a model, for tests and for looking at: a program of its own, which runs behind a wall. */
@NullMarked
package brig.workeragent.mock;

import org.jspecify.annotations.NullMarked;
