/** Secrets: their values, their placeholders, and the replacement of one by the other in requests and answers. */
@NullMarked
package brig.egress.secret;

import org.jspecify.annotations.NullMarked;
