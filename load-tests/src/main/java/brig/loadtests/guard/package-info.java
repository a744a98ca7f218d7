/** {@code brig bench guard}: whether a product is worse than an earlier one. */
@NullMarked
package brig.loadtests.guard;

import org.jspecify.annotations.NullMarked;
