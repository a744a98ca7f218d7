/** System call filters as BPF programs. */
@NullMarked
package brig.seccomp;

import org.jspecify.annotations.NullMarked;
