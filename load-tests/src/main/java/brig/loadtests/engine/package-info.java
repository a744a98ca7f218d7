/** The process of the load generator {@code brig-load}, a C program. */
@NullMarked
package brig.loadtests.engine;

import org.jspecify.annotations.NullMarked;
