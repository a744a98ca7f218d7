/** Files and Unix sockets of all processes. */
@NullMarked
package brig.protocol.io;

import org.jspecify.annotations.NullMarked;
