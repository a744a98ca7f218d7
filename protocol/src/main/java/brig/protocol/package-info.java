/** Brig's wire protocol: frames, identifiers, codes and limits. */
@NullMarked
package brig.protocol;

import org.jspecify.annotations.NullMarked;
