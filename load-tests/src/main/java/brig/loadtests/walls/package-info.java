/** What each kind of wall costs, beside the others, and what a checkpoint costs. */
@NullMarked
package brig.loadtests.walls;

import org.jspecify.annotations.NullMarked;
