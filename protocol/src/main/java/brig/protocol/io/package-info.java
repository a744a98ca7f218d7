/** File handling shared by all processes. */
@NullMarked
package brig.protocol.io;

import org.jspecify.annotations.NullMarked;
