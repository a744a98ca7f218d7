/** What the product's JVMs spend CPU time on, as flame graphs. */
@NullMarked
package brig.loadtests.profile;

import org.jspecify.annotations.NullMarked;
