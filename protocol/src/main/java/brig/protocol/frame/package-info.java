/** Records for the frames of a stream, the lines about a connection, and the lines of clients. */
@NullMarked
package brig.protocol.frame;

import org.jspecify.annotations.NullMarked;
