/** Filters of system calls, as programs for the kernel. */
@NullMarked
package brig.seccomp;

import org.jspecify.annotations.NullMarked;
