/** Secrets: their values, what stands for them inside a wall, and how one is put for the other on the way. */
@NullMarked
package brig.egress.secret;

import org.jspecify.annotations.NullMarked;
