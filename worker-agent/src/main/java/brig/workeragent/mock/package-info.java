/** An agent without a model, for tests and demonstrations: a program of its own that runs behind a wall. */
@NullMarked
package brig.workeragent.mock;

import org.jspecify.annotations.NullMarked;
