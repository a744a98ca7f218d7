/** Files as every process of Brig writes them. */
@NullMarked
package brig.protocol.io;

import org.jspecify.annotations.NullMarked;
