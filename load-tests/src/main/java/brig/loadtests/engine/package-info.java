/** The load generator {@code brig-load}, a C program, as a process. */
@NullMarked
package brig.loadtests.engine;

import org.jspecify.annotations.NullMarked;
