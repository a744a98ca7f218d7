/** What is measured, as data: scenarios, the figures that they show, and the bounds that Brig has to keep. */
@NullMarked
package brig.loadtests.suite;

import org.jspecify.annotations.NullMarked;
